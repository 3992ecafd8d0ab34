/** In place of three's manager of headsets, which the console has no use for: what the renderer asks of it, and no more. */
export class WebXRManager {
  enabled = false;
  isPresenting = false;
  cameraAutoUpdate = false;
  addEventListener() {}
  removeEventListener() {}
  setAnimationLoop() {}
  dispose() {}
  hasDepthSensing() {
    return false;
  }
  getEnvironmentBlendMode() {
    return undefined;
  }
}
