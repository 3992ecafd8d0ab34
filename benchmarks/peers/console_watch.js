// Put into a page before its own code: says in which animation frames new data were drawn, and how old they were.
// A page acknowledges a live frame in the animation frame that drew it; the first task after that one is its end:
// style, layout, painting and the hand-over to the compositor are done.
(() => {
  const watch = { frames: 0, delays: [], firstMs: null };
  const stamps = new Map(); // number of a live frame: when its newest record was written [ms, UTC]
  const end = new MessageChannel();
  let stamp = NaN;
  let hasCurves = false;
  let isEnding = false;

  end.port1.onmessage = () => {
    isEnding = false;
    if (!hasCurves) return;
    const now = performance.now();
    watch.frames += 1;
    watch.firstMs ??= now;
    watch.delays.push(performance.timeOrigin + now - stamp);
  };

  const heard = ({ data }) => {
    if (!(data instanceof ArrayBuffer)) return;
    const length = new DataView(data).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    if (head.kind !== "live") return;
    const newest = new Float64Array(data, 4 + length, head.width);
    stamps.set(head.frame, { at: 1000 * newest[motionbaseStamp], hasCurves: head.count > 0 && head.channels.length > 0 });
  };

  const said = (text) => {
    const message = JSON.parse(text);
    const frame = message.do === "ack" ? stamps.get(message.frame) : undefined;
    if (!frame) return;
    stamps.delete(message.frame);
    stamp = frame.at;
    hasCurves = frame.hasCurves;
    if (!isEnding) end.port2.postMessage(null);
    isEnding = true;
  };

  window.WebSocket = class extends WebSocket {
    constructor(...all) {
      super(...all);
      stamps.clear();
      this.addEventListener("message", heard);
    }

    send(data) {
      super.send(data);
      said(data);
    }
  };
  window.motionbaseWatch = watch;
})();
