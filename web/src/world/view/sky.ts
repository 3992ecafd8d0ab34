/** The sky behind everything: a gradient, soft clouds and the sun. Below the horizon it is haze. */

import { BufferGeometry, Float32BufferAttribute, Matrix4, Mesh, ShaderMaterial, type PerspectiveCamera } from "three";
import { AIR, type Air } from "./daylight";

const VERTEX = /* glsl */ `
  uniform mat4 toDirection;
  varying vec3 direction;
  void main() {
    vec4 far = toDirection * vec4(position.xy, 1.0, 1.0);
    direction = far.xyz;
    gl_Position = vec4(position.xy, 1.0, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  ${AIR}
  varying vec3 direction;
  void main() {
    vec3 d = normalize(direction);
    vec3 colour = skyColour(d.z);
    if (d.z > 0.015) {
      vec2 at = d.xy / (d.z + 0.12);
      float cover = texture2D(noise, at * 0.055 + vec2(0.0009 * seconds, 0.31)).a;
      cover += 0.45 * (texture2D(noise, at * 0.19 + vec2(0.17, 0.0016 * seconds)).a - 0.5);
      float cloud = smoothstep(0.5, 0.78, cover) * smoothstep(0.015, 0.16, d.z);
      float shade = smoothstep(0.55, 0.95, cover);
      colour = mix(colour, mix(vec3(0.97, 0.975, 0.98), vec3(0.78, 0.82, 0.87), shade), 0.82 * cloud);
    }
    float s = max(0.0, dot(d, sun));
    float s8 = s * s * s * s * s * s * s * s;
    float glow = s8 * s8 * s8;
    colour += sunlight * (0.16 * s8 + 0.3 * glow + smoothstep(0.9988, 0.9994, s));
    gl_FragColor = vec4(colour, 1.0);
  }
`;

export class Sky {
  readonly mesh: Mesh;
  readonly #toDirection = new Matrix4();

  constructor(air: Air) {
    const triangle = new BufferGeometry().setAttribute("position", new Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { ...air.uniforms, toDirection: { value: this.#toDirection } }, depthWrite: false,
    }); // prettier-ignore
    this.mesh = new Mesh(triangle, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 10; // last: only where nothing else is
  }

  look(camera: PerspectiveCamera): void {
    this.#toDirection.extractRotation(camera.matrixWorld).multiply(camera.projectionMatrixInverse);
  }
}
