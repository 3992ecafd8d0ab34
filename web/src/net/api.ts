/** Requests to the server, one function for each verb; an error is the server's own sentence. */

import { decode, type WindowFrame } from "./frames";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

type Query = Record<string, string | number | undefined>;

export class Api {
  /** @param client the page's own name; @param token of the operator or viewer, "" for none */
  constructor(
    readonly client: string,
    public token: string,
  ) {}

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.#json<T>("GET", path, query);
  }

  post<T>(path: string, body: unknown = undefined, query: Query = {}): Promise<T> {
    return this.#json<T>("POST", path, query, body);
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

  async window(query: Query): Promise<WindowFrame> {
    const answer = await this.#fetch("GET", "/api/recordings/window", query);
    return decode(await answer.arrayBuffer()) as WindowFrame;
  }

  async upload<T>(path: string, query: Query, file: Blob): Promise<T> {
    return (await (await this.#fetch("PUT", path, query, file)).json()) as T;
  }

  async blob(path: string, query: Query = {}): Promise<Blob> {
    return (await this.#fetch("GET", path, query)).blob();
  }

  async #json<T>(verb: string, path: string, query: Query, body?: unknown): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return (await (await this.#fetch(verb, path, query, text)).json()) as T;
  }

  async #fetch(verb: string, path: string, query: Query, body?: string | Blob): Promise<Response> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const tail = given.length ? `?${new URLSearchParams(given.map(([k, v]) => [k, String(v)]))}` : "";
    const headers: Record<string, string> = { "X-Client": this.client };
    if (this.token) headers["Authorization"] = `Bearer ${this.token}`;
    if (typeof body === "string") headers["Content-Type"] = "application/json";
    let answer: Response;
    try {
      answer = await fetch(path + tail, { method: verb, headers, body });
    } catch {
      throw new ApiError(0, "the console's server does not answer");
    }
    if (!answer.ok) throw new ApiError(answer.status, await sentence(answer));
    return answer;
  }
}

async function sentence(answer: Response): Promise<string> {
  try {
    const said = (await answer.json()) as { detail?: unknown };
    if (typeof said.detail === "string") return said.detail;
  } catch {
    // not JSON: the number has to do
  }
  return `the server answered ${answer.status}`;
}
