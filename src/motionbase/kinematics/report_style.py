"""How a report looks, on a screen and on paper."""

STYLE = """
:root { --ink: #1f2933; --soft: #5f6c7b; --line: #e3e8ee; --blue: #2f6fae; }
* { box-sizing: border-box; }
body { font: 15px/1.55 "Helvetica Neue", Helvetica, Arial, sans-serif; color: var(--ink); background: #fff;
  max-width: 1080px; margin: 0 auto; padding: 36px 32px 60px; }
header { border-bottom: 3px solid var(--blue); padding-bottom: 14px; }
header p { margin: 2px 0; color: var(--soft); }
.document { display: flex; flex-wrap: wrap; gap: 6px 30px; margin: 12px 0 0; font-size: 13px; }
.document dt { color: var(--soft); font-size: 11.5px; }
.document dd { margin: 0; font-weight: 600; }
code { font-size: .95em; }
.kind { text-transform: uppercase; letter-spacing: .12em; font-size: 12px; }
h1 { font-size: 34px; margin: 2px 0 4px; }
h2 { font-size: 22px; margin: 0 0 12px; padding-top: 6px; color: var(--blue); }
h3 { font-size: 15px; margin: 18px 0 6px; }
section { margin-top: 34px; }
.cards { display: flex; gap: 12px; margin: 22px 0 0; }
.card { flex: 1 1 0; min-width: 0; border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
.card p { margin: 0; color: var(--soft); font-size: 12.5px; }
.card strong { display: block; font-size: 21px; margin: 2px 0; white-space: nowrap; }
.card small { color: var(--soft); }
.two { display: grid; grid-template-columns: 1fr 1.15fr; gap: 26px; align-items: start; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; margin: 8px 0 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 2px solid var(--line); padding: 5px 8px;
  vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: 4px 8px; vertical-align: top; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.n { white-space: normal; }
table.small { font-size: 11.5px; }
table.small td, table.small th { padding: 2px 6px; }
figure { margin: 16px 0 22px; }
figure img { width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: 13px; margin-top: 4px; }
.v { border-radius: 4px; padding: 0 6px; font-size: .92em; white-space: nowrap; }
.v.derived { background: #e8edf2; color: #46535f; }
.v.clear { background: #e3f3e6; color: #23683a; }
.v.warn { background: #fdf1d3; color: #8a5a00; }
.v.stop { background: #fbe0dd; color: #a02318; }
.v.interference { background: #7b1e1e; color: #fff; }
ul { margin: 6px 0; padding-left: 20px; }
footer { margin-top: 18px; color: var(--soft); font-size: 12.5px; }
@page { size: A4; margin: 14mm 12mm 18mm; @bottom-left { font: 8pt Helvetica, Arial, sans-serif; color: #5f6c7b; }
  @bottom-right { font: 8pt Helvetica, Arial, sans-serif; color: #5f6c7b; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  section { margin-top: 22px; }
  .two { grid-template-columns: 1fr; gap: 0; }
  .card { padding: 8px 10px; }
  .card strong { font-size: 12.5pt; }
  table { font-size: 9pt; }
  table.small { font-size: 7.8pt; }
  table.small td:nth-child(2) { white-space: nowrap; }
  figure img { width: auto; max-width: 100%; max-height: 118mm; margin: 0 auto; }
  h2, h3, tr, figure, .card { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  thead { display: table-header-group; }
  .v, .card { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
