/** Triangles and plain colours of a binary glTF file: no textures, no bones, no compression. */

import { BufferGeometry, Color, ColorManagement, Float32BufferAttribute, Matrix4, Quaternion, Vector3 } from "three";

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const TRIANGLES = 4;
const DEEPEST = 64; // of nodes: a file may say that a node is its own child

interface Accessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
  sparse?: unknown;
}

interface Gltf {
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: {
    children?: number[];
    mesh?: number;
    matrix?: number[];
    translation?: number[];
    rotation?: number[];
    scale?: number[];
  }[];
  meshes?: { primitives: { attributes: Record<string, number>; indices?: number; material?: number; mode?: number }[] }[];
  materials?: { pbrMetallicRoughness?: { baseColorFactor?: number[] } }[];
  accessors?: Accessor[];
  bufferViews?: { byteOffset?: number; byteStride?: number }[];
  extensionsRequired?: string[];
}

/** @param otherwise the colour of what has none */
export function readGlb(raw: ArrayBuffer, otherwise: Color): [BufferGeometry, Color][] {
  const { gltf, binary } = chunks(raw);
  if (gltf.extensionsRequired?.length) throw new Error(`it needs ${gltf.extensionsRequired.join(", ")}; save it without`);
  const found: [BufferGeometry, Color][] = [];
  const visit = (number: number, above: Matrix4, depth: number): void => {
    const node = gltf.nodes?.[number];
    if (!node || depth > DEEPEST) return;
    const at = above.clone().multiply(local(node));
    for (const part of (node.mesh === undefined ? undefined : gltf.meshes?.[node.mesh])?.primitives ?? []) {
      if ((part.mode ?? TRIANGLES) !== TRIANGLES) continue;
      const geometry = new BufferGeometry();
      for (const [name, own] of [["position", "POSITION"], ["normal", "NORMAL"]] as const) {
        const accessor = part.attributes[own];
        if (accessor !== undefined) geometry.setAttribute(name, new Float32BufferAttribute(numbers(gltf, binary, accessor, 3), 3));
      }
      if (!geometry.hasAttribute("position")) continue;
      if (part.indices !== undefined) geometry.setIndex(numbers(gltf, binary, part.indices, 1));
      if (!geometry.hasAttribute("normal")) geometry.computeVertexNormals();
      found.push([geometry.applyMatrix4(at), colour(gltf, part.material) ?? otherwise]);
    }
    for (const child of node.children ?? []) visit(child, at, depth + 1);
  };
  const all = gltf.nodes?.map((_, k) => k) ?? [];
  for (const root of gltf.scenes?.[gltf.scene ?? 0]?.nodes ?? all) visit(root, new Matrix4(), 0);
  return found;
}

function chunks(raw: ArrayBuffer): { gltf: Gltf; binary: DataView } {
  const view = new DataView(raw);
  if (raw.byteLength < 20 || view.getUint32(0, true) !== MAGIC) throw new Error("it is not a binary glTF file");
  if (view.getUint32(4, true) !== 2) throw new Error(`it is glTF version ${view.getUint32(4, true)}; only 2 is supported`);
  const length = view.getUint32(12, true);
  if (view.getUint32(16, true) !== JSON_CHUNK || 20 + length > raw.byteLength) throw new Error("its description is truncated");
  const gltf = JSON.parse(new TextDecoder().decode(new Uint8Array(raw, 20, length))) as Gltf;
  const begin = Math.min(20 + length + 8, raw.byteLength);
  return { gltf, binary: new DataView(raw, begin) };
}

function local(node: NonNullable<Gltf["nodes"]>[number]): Matrix4 {
  if (node.matrix?.length === 16) return new Matrix4().fromArray(node.matrix);
  const place = new Vector3().fromArray(node.translation ?? [0, 0, 0]);
  const turn = new Quaternion().fromArray(node.rotation ?? [0, 0, 0, 1]);
  return new Matrix4().compose(place, turn, new Vector3().fromArray(node.scale ?? [1, 1, 1]));
}

const READERS: Record<number, [number, (view: DataView, at: number) => number]> = {
  5121: [1, (view, at) => view.getUint8(at)],
  5123: [2, (view, at) => view.getUint16(at, true)],
  5125: [4, (view, at) => view.getUint32(at, true)],
  5126: [4, (view, at) => view.getFloat32(at, true)],
};

function numbers(gltf: Gltf, binary: DataView, number: number, wide: 1 | 3): number[] {
  const accessor = gltf.accessors?.[number];
  const view = gltf.bufferViews?.[accessor?.bufferView ?? -1];
  const reader = READERS[accessor?.componentType ?? 0];
  if (!accessor || !view || !reader || accessor.sparse || accessor.type !== (wide === 3 ? "VEC3" : "SCALAR"))
    throw new Error(`its accessor ${number} is of an unsupported kind`);
  const [size, read] = reader;
  const step = view.byteStride ?? wide * size;
  const begin = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  if (begin + step * (accessor.count - 1) + wide * size > binary.byteLength) throw new Error(`its accessor ${number} is truncated`);
  return Array.from({ length: wide * accessor.count }, (_, k) => read(binary, begin + step * Math.floor(k / wide) + size * (k % wide)));
}

/** glTF's colours are linear; so they are kept, or written as the page's are, as everything else that is drawn. */
function colour(gltf: Gltf, material: number | undefined): Color | null {
  if (material === undefined) return null;
  const [r = 1, g = 1, b = 1] = gltf.materials?.[material]?.pbrMetallicRoughness?.baseColorFactor ?? [];
  const found = new Color(r, g, b);
  return ColorManagement.enabled ? found : found.convertLinearToSRGB();
}
