/** The picture as a file, with a line that says what it shows. */

import { number } from "../core/format";
import { DOFS } from "../net/words";
import { POSE_OF, type PoseSource } from "./pose";
import type { Pose } from "./kinematics";

const CAPTION_PX = 34;

export interface Shown {
  platform: string;
  source: PoseSource;
  pose: Pose | null;
  t: number;
  isStudy: boolean;
}

export async function savePicture(canvas: HTMLCanvasElement, shown: Shown): Promise<void> {
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
  pen.fillText(caption(shown), 12 * scale, canvas.height + high / 2, page.width - 24 * scale);
  const blob = await new Promise<Blob | null>((done) => page.toBlob(done, "image/png"));
  if (!blob) throw new Error("the picture cannot be saved: the browser made no PNG of it");
  download(blob, `${shown.platform}_${stamp(new Date())}.png`);
}

function caption({ platform, source, pose, t, isStudy }: Shown): string {
  const parts = [platform, isStudy ? "STUDY, not the platform" : POSE_OF[source].title.toLowerCase()];
  if (!isStudy && Number.isFinite(t)) parts.push(`t ${t.toFixed(3)} s`);
  pose?.forEach((value, k) => parts.push(`${DOFS[k]} ${k < 3 ? `${number(value, 4)} m` : `${number((180 / Math.PI) * value, 4)}°`}`));
  return parts.join("   ");
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
