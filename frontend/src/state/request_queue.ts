import { Problem } from '../api/client';
import type { Trace, TraceRequest } from '../api/types';

export interface RequestQueueEvents {
  send(request: TraceRequest, signal: AbortSignal): Promise<Trace>;
  answered(trace: Trace, request: TraceRequest): void;
  failed(problem: Problem): void;
  busy(running: boolean): void;
}

/** How long typing has to rest before the program runs, in milliseconds, if it went on while another was running. */
export const REST = 150;

/** After how many seconds an unreachable server is asked again. */
const RETRY = 3;

/**
 * Sends programs to the server. What is typed runs at once; while it runs, what is typed further aborts it and waits for a rest. A dragged cell never waits and
 * never aborts, but only its latest state is sent once the answer before is there. A problem is retried by itself.
 */
export class RequestQueue {
  private controller: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private next: TraceRequest | null = null;
  private waits = false;

  constructor(private readonly events: RequestQueueEvents) {}

  /** The program was edited. */
  typed(request: TraceRequest): void {
    if (this.controller || this.waits) this.schedule(request, REST);
    else this.now(request);
  }

  /** The program was replaced as a whole. */
  now(request: TraceRequest): void {
    this.stop();
    void this.run(request);
  }

  /** Something is being dragged. */
  live(request: TraceRequest): void {
    if (this.controller) this.next = request;
    else this.now(request);
  }

  private schedule(request: TraceRequest, wait: number): void {
    this.stop();
    this.waits = true;
    this.timer = setTimeout(() => void this.run(request), wait);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.waits = false;
    this.controller?.abort();
    this.controller = null;
    this.next = null;
  }

  private async run(request: TraceRequest): Promise<void> {
    const controller = new AbortController();
    this.controller = controller;
    this.waits = false;
    this.events.busy(true);
    try {
      const trace = await this.events.send(request, controller.signal);
      if (this.controller === controller) this.finish(() => this.events.answered(trace, request));
    } catch (error) {
      if (this.controller === controller) this.finish(() => this.fail(error, request));
    }
  }

  private finish(report: () => void): void {
    const next = this.next;
    this.controller = null;
    this.next = null;
    this.events.busy(false);
    report();
    if (next && !this.controller) void this.run(next);
  }

  private fail(error: unknown, request: TraceRequest): void {
    const problem = error instanceof Problem ? error : new Problem('broken', String(error));
    this.events.failed(problem);
    const again = problem.kind === 'offline' || problem.kind === 'busy';
    if (again) this.schedule(request, 1000 * (problem.retryAfter ?? RETRY));
  }
}
