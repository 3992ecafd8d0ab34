/** The picture as a file, with a line that says what it shows. */

const CAPTION_PX = 34;

export async function savePicture(canvas: HTMLCanvasElement, name: string, caption: readonly string[]): Promise<void> {
  const style = getComputedStyle(document.documentElement);
  const page = document.createElement("canvas");
  const scale = canvas.width / Math.max(1, canvas.clientWidth);
  const high = Math.round(CAPTION_PX * scale);
  [page.width, page.height] = [canvas.width, canvas.height + high];
  const pen = page.getContext("2d");
  if (!pen) throw new Error("the picture cannot be saved: the browser has no 2D canvas left");
  pen.drawImage(canvas, 0, 0);
  pen.fillStyle = style.getPropertyValue("--surface");
  pen.fillRect(0, canvas.height, page.width, high);
  pen.fillStyle = style.getPropertyValue("--text-2");
  pen.font = `${Math.round(12 * scale)}px ${style.getPropertyValue("--font")}`;
  pen.textBaseline = "middle";
  pen.fillText([name, ...caption].join("   "), 12 * scale, canvas.height + high / 2, page.width - 24 * scale);
  const blob = await new Promise<Blob | null>((done) => page.toBlob(done, "image/png"));
  if (!blob) throw new Error("the picture cannot be saved: the browser made no PNG of it");
  download(blob, `${name}_${stamp(new Date())}.png`);
}

function stamp(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(":", "-");
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
