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
    float s = max(0.0, dot(d, sun));
    float s8 = s * s; s8 *= s8; s8 *= s8;
    float s32 = s8 * s8; s32 *= s32;
    if (d.z > 0.012) {
      vec2 at = d.xy / (d.z + 0.10);
      float cover = texture2D(noise, at * 0.045 + vec2(0.0009 * seconds, 0.31)).a;
      #ifdef FINE
      cover += 0.42 * (texture2D(noise, at * 0.17 + vec2(0.17, 0.0016 * seconds)).a - 0.5);
      #endif
      float cloud = smoothstep(0.45, 0.61, cover) * smoothstep(0.012, 0.13, d.z);
      float shade = smoothstep(0.53, 0.76, cover);
      vec3 lit = mix(vec3(0.985, 0.985, 0.98), vec3(0.74, 0.79, 0.85), shade * (1.0 - 0.5 * s8));
      colour = mix(colour, lit, 0.88 * cloud);
    }
    colour = 1.0 - (1.0 - colour) * (1.0 - sunlight * (0.10 * s8 + 0.26 * s32));
    colour = mix(colour, vec3(1.0, 0.985, 0.94), smoothstep(0.9986, 0.9993, s));
    gl_FragColor = vec4(colour, 1.0);
  }
`;

export class Sky {
  readonly mesh: Mesh;
  readonly #toDirection = new Matrix4();

  constructor(air: Air) {
    const triangle = new BufferGeometry().setAttribute("position", new Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, defines: air.defines, uniforms: { ...air.uniforms, toDirection: { value: this.#toDirection } }, depthWrite: false,
    }); // prettier-ignore
    this.mesh = new Mesh(triangle, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 10; // last: only where nothing else is
  }

  look(camera: PerspectiveCamera): void {
    this.#toDirection.extractRotation(camera.matrixWorld).multiply(camera.projectionMatrixInverse);
  }
}
