import type { LayoutRequest, LayoutResult } from './types';

export interface LayoutOrder {
  ticket: number;
  request: LayoutRequest;
}

export interface LayoutAnswer {
  ticket: number;
  result: LayoutResult;
}

/** What a layouter needs of a worker. */
export interface LayoutPort {
  postMessage(order: LayoutOrder): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<LayoutAnswer>) => void): void;
  terminate(): void;
}
