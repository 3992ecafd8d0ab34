/** The user's own pictures of parts; the loaders come only where there is something to load. */

import { Color, type BufferGeometry } from "three";
import type { App } from "../../app";
import type { Mesh as MeshOf, Scene as Platform } from "../../net/types";
import { Build } from "./build";

export type Part = MeshOf["part"];
/** Of every part that has a mesh, merged; base in W, platform in P, cylinder and rod from their joint along z. */
export type OwnParts = Partial<Record<Part, BufferGeometry>>;

export async function ownParts(app: App, platform: Platform): Promise<OwnParts> {
  const builds = new Map<Part, Build>();
  const source = app.session.source.peek();
  for (const mesh of platform.meshes) {
    try {
      const raw = await (await app.api.blob(`/api/mesh/${mesh.number}`, { source })).arrayBuffer();
      const build = builds.get(mesh.part) ?? new Build();
      for (const [geometry, colour] of await read(mesh, raw)) build.add(geometry, colour);
      builds.set(mesh.part, build);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      app.say(`mesh ${mesh.number} of the ${mesh.part} cannot be drawn: ${why}`, "error");
    }
  }
  return Object.fromEntries([...builds].map(([part, build]) => [part, build.done()]));
}

async function read(mesh: MeshOf, raw: ArrayBuffer): Promise<[BufferGeometry, Color][]> {
  const colour = new Color(mesh.colour);
  const parts = mesh.format === "stl" ? await stl(raw, colour) : (await import("./glb")).readGlb(raw, colour);
  const white = new Color(0xffffff); // a cylinder has the colour of its stroke
  return parts.map(([geometry, own]) => [
    geometry.scale(mesh.scale, mesh.scale, mesh.scale),
    mesh.part === "cylinder" ? white : own,
  ]);
}

async function stl(raw: ArrayBuffer, colour: Color): Promise<[BufferGeometry, Color][]> {
  const { STLLoader } = await import("three/addons/loaders/STLLoader.js");
  const geometry = new STLLoader().parse(raw);
  geometry.computeVertexNormals(); // many files leave theirs at zero
  return [[geometry, colour]];
}
