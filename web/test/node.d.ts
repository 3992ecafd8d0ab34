/** What the tests use of node; its own types are not among the page's packages. */

declare module "node:test" {
  export function test(name: string, run: () => void | Promise<void>): void;
  export const mock: { timers: { enable(options: { apis: string[] }): void; tick(ms: number): void; reset(): void } };
}

declare function setImmediate(run: () => void): void;

declare module "node:assert/strict" {
  interface Assert {
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(actual: string, pattern: RegExp): void;
    ok(value: unknown, message?: string): asserts value;
    throws(run: () => unknown, expected: RegExp): void;
    rejects(work: Promise<unknown>, expected: (error: Error) => boolean): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}
