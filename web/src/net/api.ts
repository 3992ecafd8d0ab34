/** Requests to the server, one function for each verb; an error is the server's own sentence. */

import { decode, decodeRows, type Rows, type WindowFrame } from "./frames";

export class ApiError extends Error {
  /** @param body what the server said besides its sentence */
  constructor(
    readonly status: number,
    sentence: string,
    readonly body: Record<string, unknown> = {},
  ) {
    super(sentence);
  }
}

/** How long an answer is waited for [ms]: in general, where the base moves or stops, and where a file is opened whole. */
export const ANSWER_MS = 15_000;
export const MOVING_MS = 2_000;
export const OPENING_MS = 60_000;
const FOR_EVER = Infinity; // of what carries whole files: how long that takes depends on their size

type Query = Record<string, string | number | readonly string[] | undefined>;

export class Api {
  /** @param client the page's own name; @param token of the operator or viewer, "" for none */
  constructor(
    readonly client: string,
    public token: string,
  ) {}

  get<T>(path: string, query: Query = {}, withinMs = ANSWER_MS): Promise<T> {
    return this.#json<T>("GET", path, query, undefined, withinMs);
  }

  post<T>(path: string, body: unknown = undefined, query: Query = {}, withinMs = ANSWER_MS): Promise<T> {
    return this.#json<T>("POST", path, query, body, withinMs);
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>("PUT", path, {}, body);
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>("PATCH", path, {}, body);
  }

  delete<T>(path: string, query: Query = {}): Promise<T> {
    return this.#json<T>("DELETE", path, query);
  }

  /** @param path of what has windows: recordings, or a comparison */
  async window(query: Query, path = "/api/recordings/window"): Promise<WindowFrame> {
    const read = (answer: Response): Promise<ArrayBuffer> => answer.arrayBuffer();
    return decode(await this.#fetch("GET", path, query, undefined, ANSWER_MS, read)) as WindowFrame;
  }

  async rows(query: Query): Promise<Rows> {
    const read = (answer: Response): Promise<ArrayBuffer> => answer.arrayBuffer();
    return decodeRows(await this.#fetch("GET", "/api/recordings/rows", query, undefined, ANSWER_MS, read));
  }

  upload<T>(path: string, query: Query, file: Blob): Promise<T> {
    return this.#fetch("PUT", path, query, file, FOR_EVER, (answer) => answer.json() as Promise<T>);
  }

  blob(path: string, query: Query = {}): Promise<Blob> {
    return this.#fetch("GET", path, query, undefined, FOR_EVER, (answer) => answer.blob());
  }

  #json<T>(verb: string, path: string, query: Query, body?: unknown, withinMs = ANSWER_MS): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return this.#fetch(verb, path, query, text, withinMs, (answer) => answer.json() as Promise<T>);
  }

  async #fetch<T>(
    verb: string, path: string, query: Query, body: string | Blob | undefined, withinMs: number,
    read: (answer: Response) => Promise<T>,
  ): Promise<T> {
    const given = Object.entries(query).flatMap(([k, v]) => (v === undefined ? [] : [v].flat().map((one) => [k, String(one)])));
    const tail = given.length ? `?${new URLSearchParams(given)}` : "";
    const headers: Record<string, string> = { "X-Client": this.client };
    if (this.token) headers["Authorization"] = `Bearer ${this.token}`;
    if (typeof body === "string") headers["Content-Type"] = "application/json";
    const end = new AbortController();
    const timer = Number.isFinite(withinMs) ? setTimeout(() => end.abort(), withinMs) : undefined;
    try {
      const answer = await fetch(path + tail, { method: verb, headers, body, signal: end.signal });
      if (!answer.ok) throw await refusal(answer);
      return await read(answer);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const late = end.signal.aborted ? ` within ${withinMs / 1000} s` : "";
      throw new ApiError(0, `the console server does not answer${late}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function refusal(answer: Response): Promise<ApiError> {
  try {
    const said = (await answer.json()) as Record<string, unknown>;
    if (typeof said["detail"] === "string") return new ApiError(answer.status, said["detail"], said);
  } catch {
    // not JSON: the number has to do
  }
  return new ApiError(answer.status, `the server answered ${answer.status}`);
}
