// uPlot and nothing else, fed by the console's own WebSocket: ?width, height of a plot [css px], span [s], pixels,
// channels as places. With pixels for every record of the span it gets all of them; with fewer, least and largest.
const asked = new URLSearchParams(location.search);
const places = asked.get("channels").split(",").map(Number);
const [width, height, span, pixels] = ["width", "height", "span", "pixels"].map((name) => Number(asked.get(name)));
const PER_PLOT = 6;
const COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b"];

/** Columns that slide along: what is shown is a view of their end. */
class Columns {
  constructor(count) {
    this.room = 4096;
    this.all = Array.from({ length: count }, () => new Float64Array(this.room));
    this.begin = this.end = 0;
  }

  /** Forget those from place `at` on (counted from `begin`), and have room for so many behind. */
  cut(at, more) {
    this.end = this.begin + at;
    if (this.end + more <= this.room) return;
    const kept = this.end - this.begin;
    while (2 * (kept + more) > this.room) this.room *= 2;
    this.all = this.all.map((old) => {
      const column = old.length === this.room ? old : new Float64Array(this.room);
      column.set(old.subarray(this.begin, this.end));
      return column;
    });
    this.begin = 0;
    this.end = kept;
  }

  view(k) {
    return this.all[k].subarray(this.begin, this.end);
  }
}

let columns = new Columns(1 + places.length);
let [first, each, newest] = [0, 1, 0]; // number of the first bucket, points of a bucket, time of the last

function take(head, body) {
  each = head.bucket === 1 ? 1 : 2;
  const has = (columns.end - columns.begin) / each;
  if (head.backfill || head.first - first > has) [columns, first] = [new Columns(1 + places.length), head.first];
  columns.cut(each * (head.first - first), each * head.count);
  const at = columns.end;
  const column = (k) => body.subarray(head.width + k * head.count, head.width + (k + 1) * head.count);
  const spread = (into, one, other) => {
    for (let k = 0; k < head.count; k += 1) {
      into[at + each * k] = one[k];
      into[at + each * k + each - 1] = other[k];
    }
  };
  spread(columns.all[0], column(0), column(0));
  places.forEach((_, k) => spread(columns.all[1 + k], column(1 + 2 * k), column(2 + 2 * k)));
  columns.end = at + each * head.count;
  newest = head.t;
  while (columns.all[0][columns.begin] < newest - 1.05 * span) {
    columns.begin += each;
    first += 1;
  }
}

const plots = [];
for (let k = 0; k < places.length; k += PER_PLOT) {
  const series = COLOURS.slice(0, PER_PLOT).map((stroke) => ({ stroke, points: { show: false } }));
  const options = {
    width, height, series: [{}, ...series], legend: { show: false },
    scales: { x: { time: false, range: () => [newest - span, newest] } },
  };
  plots.push(new uPlot(options, [[], ...series.map(() => [])], document.querySelector("main")));
}

const drawn = [];
const socket = new WebSocket(`ws://${location.host}/ws`, "motionbase.1");
socket.binaryType = "arraybuffer";
socket.onopen = () => {
  socket.send(JSON.stringify({ do: "hello", client: "uplot", source: "live" }));
  socket.send(JSON.stringify({ do: "subscribe", channels: places, span, pixels }));
};
socket.onmessage = ({ data }) => {
  if (typeof data === "string") return;
  const length = new DataView(data).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  take(head, new Float64Array(data, 4 + length));
  drawn.push(head.frame);
};

function draw() {
  requestAnimationFrame(draw);
  if (drawn.length === 0) return;
  plots.forEach((plot, k) => {
    const own = Array.from({ length: PER_PLOT }, (_, n) => columns.view(1 + PER_PLOT * k + n));
    plot.batch(() => plot.setData([columns.view(0), ...own])); // at once, so that what is acknowledged is drawn
  });
  for (const frame of drawn.splice(0)) socket.send(JSON.stringify({ do: "ack", frame }));
}
requestAnimationFrame(draw);
