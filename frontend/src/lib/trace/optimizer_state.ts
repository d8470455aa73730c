import type { EventOf } from '../../api/types';
import { formatElement } from './values';

/** A setting of an optimizer: its name, its letter in the rule, and its value as text. */
export interface Setting {
  name: string;
  symbol: string | null;
  value: string;
}

interface OptimizerState {
  symbols?: Record<string, string>;
  groups?: { settings?: Record<string, unknown> }[];
}

/** How an element of a parameter changes, one assignment after another, in LaTeX; the last is that of the parameter. */
export function assignmentsOf({ rule }: EventOf<'step'>): string[] {
  return rule.flatMap((token) => (token.kind === 'tex' ? [token.tex] : []));
}

function inWords(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return formatElement(value);
  return Array.isArray(value) ? value.map(inWords).join(', ') : String(value);
}

/** The settings of the first group of parameters: those that its rule names come first. */
export function settingsOf({ state }: EventOf<'step'>): Setting[] {
  const { symbols = {}, groups = [] } = state as OptimizerState;
  const settings = Object.entries(groups[0]?.settings ?? {}).map(([name, value]) => ({
    name,
    symbol: symbols[name] ?? null,
    value: inWords(value),
  }));
  return settings.toSorted((x, y) => Number(x.symbol === null) - Number(y.symbol === null));
}
