import type { Example, Lesson, LessonHead, Operation, Trace, TraceRequest } from './types';

export type ProblemKind = 'offline' | 'busy' | 'refused' | 'too-large' | 'broken';
export type PictureFormat = 'svg' | 'png' | 'pdf' | 'dot';

/** What went wrong between the page and the server. A program that raises is not a problem: it is a trace. */
export class Problem extends Error {
  constructor(
    readonly kind: ProblemKind,
    readonly detail: string,
    readonly retryAfter: number | null = null,
  ) {
    super(detail);
  }
}

const KINDS: Record<number, ProblemKind> = {
  413: 'too-large',
  429: 'busy',
  502: 'offline',
  503: 'busy',
  504: 'offline',
};

function kindOf(status: number): ProblemKind {
  return KINDS[status] ?? (status >= 500 ? 'broken' : 'refused');
}

function secondsOf(header: string | null): number | null {
  const seconds = Number(header);
  return header !== null && Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null;
}

async function detailOf(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (body && typeof body === 'object' && 'detail' in body) return String(body.detail);
  } catch {
    // Not JSON, as from a proxy: the status line has to do.
  }
  return response.statusText || String(response.status);
}

async function problemOf(response: Response): Promise<Problem> {
  const wait = secondsOf(response.headers.get('Retry-After'));
  return new Problem(kindOf(response.status), await detailOf(response), wait);
}

async function call(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(new URL(`api/v1/${path}`, document.baseURI), init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new Problem('offline', String(cause));
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

function post(body: unknown, signal?: AbortSignal): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  };
}

/** Runs a program. Raises Problem, or the browser's AbortError when `signal` fires. */
export async function trace(request: TraceRequest, signal?: AbortSignal): Promise<Trace> {
  return (await call('trace', post(request, signal))).json();
}

/** The operations that a program can use, for completion and hover help. */
export async function operations(): Promise<Operation[]> {
  return (await call('operations', {})).json();
}

/** The gallery. */
export async function examples(): Promise<Example[]> {
  return (await call('examples', {})).json();
}

/** What lessons there are. */
export async function lessons(): Promise<LessonHead[]> {
  return (await call('lessons', {})).json();
}

/** One lesson. */
export async function lesson(id: string): Promise<Lesson> {
  return (await call(`lessons/${encodeURIComponent(id)}`, {})).json();
}

/** A picture of a program's graph, drawn by the server. */
export async function render(
  request: TraceRequest,
  format: PictureFormat,
  theme: 'light' | 'dark',
): Promise<Blob> {
  return (await call(`render?format=${format}&theme=${theme}`, post(request))).blob();
}

/** A short link to what the playground shows under `fragment`. Raises Problem where the service keeps none. */
export async function shortLink(fragment: string): Promise<{ id: string; url: string }> {
  return (await call('links', post({ fragment }))).json();
}
