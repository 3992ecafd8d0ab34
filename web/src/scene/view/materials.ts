/** Surfaces and lights: physically based with a soft studio around them, or plain ones that a processor can draw. */

import {
  BackSide,
  BoxGeometry,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PMREMGenerator,
  Scene,
  SphereGeometry,
  type Light,
  type Material,
  type Texture,
  type WebGLRenderer,
} from "three";
import { plainSurface } from "./plain";
import type { Theme } from "./theme";

const SHADOW_PIXELS = 1024;

export interface Materials {
  paint: Material;
  steel: Material;
}

export function materials(fine: boolean, colours: Theme): Materials {
  if (!fine) {
    const plain = plainSurface(colours);
    return { paint: plain, steel: plain };
  }
  return {
    paint: new MeshStandardMaterial({ vertexColors: true, roughness: 0.5, metalness: 0.1 }),
    steel: new MeshStandardMaterial({ vertexColors: true, roughness: 0.22, metalness: 0.85 }),
  };
}

/** For the fine picture. @param reach radius of what has to be lit [m] */
export function lights(colours: Theme, reach: number): Light[] {
  const sky = new HemisphereLight(colours.isDark ? 0xd6e4f2 : 0xffffff, colours.isDark ? 0x39424c : 0xaab2bb, 0.35);
  const key = new DirectionalLight(0xfff4e6, 2.1);
  key.position.set(2.0 * reach, -0.9 * reach, 2.3 * reach);
  const rim = new DirectionalLight(0xbfd8ff, 0.7);
  rim.position.set(-1.8 * reach, 1.6 * reach, 1.1 * reach);
  castShadow(key, reach);
  return [sky, key, rim];
}

function castShadow(key: DirectionalLight, reach: number): void {
  key.castShadow = true;
  key.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
  key.shadow.radius = 5;
  key.shadow.intensity = 0.75;
  key.shadow.normalBias = 0.01 * reach;
  const { camera } = key.shadow;
  [camera.left, camera.right, camera.bottom, camera.top] = [-1.5 * reach, 1.5 * reach, -1.5 * reach, 1.5 * reach];
  [camera.near, camera.far] = [0.5 * reach, 6 * reach];
}

/** What polished steel reflects: a room with a bright ceiling and two long lamps. */
export function studio(renderer: WebGLRenderer, colours: Theme): Texture {
  const room = new Scene();
  const wall = new MeshBasicMaterial({ color: colours.isDark ? 0x47515c : 0x9aa4ae, side: BackSide });
  room.add(new Mesh(new SphereGeometry(10, 16, 8), wall));
  const lamp = (x: number, y: number, z: number, size: [number, number, number], power: number): void => {
    const glow = new MeshBasicMaterial();
    glow.color.setScalar(power);
    const box = new Mesh(new BoxGeometry(...size), glow);
    box.position.set(x, y, z);
    room.add(box);
  };
  lamp(0, 0, 8, [8, 8, 0.2], colours.isDark ? 2.2 : 3);
  lamp(7, -4, 2, [0.2, 6, 3], 3);
  lamp(-7, 4, 3, [0.2, 7, 2], 2);
  const maker = new PMREMGenerator(renderer);
  const { texture } = maker.fromScene(room, 0.03);
  maker.dispose();
  return texture;
}
