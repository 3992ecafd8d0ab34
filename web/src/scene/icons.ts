/** Strokes of the tool bar's icons. */

export const ICONS = {
  fit: "M4 9V4h5|M15 4h5v5|M20 15v5h-5|M9 20H4v-5|M9.5 12a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0",
  orthographic: "M12 3l8 4.5v9L12 21l-8-4.5v-9z|M12 12l8-4.5|M12 12v9|M12 12L4 7.5",
  ghost: "M4 8l6-3l6 3v7l-6 3l-6-3z|M16 6.5l4 2v7l-5 2.5",
  trail: "M3 17c4 0 4-9 9-9s4 6 7 6|M19.5 14a1.2 1.2 0 1 0 .01 0",
  joints: "M12 3v18|M8 9.5c0 1.4 1.8 2.5 4 2.5s4-1.1 4-2.5|M14.8 14.2l1.6-1.9l-2.4-.6",
  frames: "M5 19V6|M5 19h13|M5 19l7-7|M3.5 7.5L5 5l1.5 2.5|M16.5 17.5L19 19l-2.5 1.5",
  inertia: "M4 8l8-4l8 4v8l-8 4l-8-4z|M12 12m-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0",
  names: "M4 7h10l5 5l-5 5H4z|M7.5 12h5",
  turning: "M12 12m-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0|M13.5 12h6|M10.5 12h-6|M6 6.5a8 8 0 0 1 11 -.6|M17.4 2.8v3.4h-3.4",
  labels: "M4 7h10l5 5l-5 5H4z|M8.5 10.2l1.4-1v5.6",
  numbers: "M4 20V10|M9 20V4|M14 20v-7|M19 20V8",
  camera: "M4 8h3l2-2.5h6L17 8h3v11H4z|M9 13.2a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
  full: "M14 4h6v6|M20 4l-7 7|M10 20H4v-6|M4 20l7-7",
  options: "M4 7h9|M17 7h3|M15 5v4|M4 17h3|M11 17h9|M9 15v4",
} as const;
