import type { TurnChoice, Turns } from './turns';
import type { Card, GraphModel, Link } from './types';

/** What stands in the same place in each turn has one key: it is redrawn and not made anew. */
export function keyByPlace({ cards }: GraphModel): void {
  const times = new Map<string, number>();
  for (const card of cards) {
    const { tensor, maker, label, shelf } = card;
    if (tensor.place === null || shelf !== null) continue;
    const key = `${tensor.span?.line ?? 0} ${maker?.node.op ?? ''} ${tensor.names.length > 0 ? label : ''}`;
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    card.key = `${key} ${before}`;
  }
}

/**
 * Tensors that turns off screen have made say which turn that was. What is read after a loop stands under the turn
 * on screen: a line that carries nothing leads there from the tensor that has its name in that turn.
 */
export function markAway(model: GraphModel, turns: Turns, choice: TurnChoice): GraphModel {
  const links: Link[] = [];
  for (const card of model.cards) {
    const away = turns.around(card.tensor.place).find(({ place }) => !choice.ids.has(place));
    if (!away) continue;
    card.from = away.number;
    const reader = model.links.find(({ source }) => source === card.id)?.target;
    const isInside = model.groupFrames.some(
      ({ group, members }) =>
        group.turn?.loop === away.loop && reader !== undefined && members.includes(reader),
    );
    const before = isInside ? null : standIn(model, card, turns, away.loop);
    if (before) links.push(lineFrom(before.id, card.id));
  }
  markGaps(model);
  return links.length > 0 ? { ...model, links: [...model.links, ...links] } : model;
}

/**
 * Tensors of turns out of sight before which their reader takes more that are not drawn, behind the last that is drawn of such
 * a turn.
 */
function markGaps({ cards, pills }: GraphModel): void {
  const drawn = new Map(cards.map((card) => [card.id, card]));
  for (const { node } of [...pills, ...cards.flatMap(({ maker }) => maker ?? [])]) {
    let isLeftOut: boolean | null = null;
    for (const input of node.inputs) {
      const card = drawn.get(input);
      if (card && card.from !== null) {
        card.gap ||= isLeftOut === true;
        isLeftOut = false;
      } else if (!card && isLeftOut !== null) isLeftOut = true;
    }
  }
}

/** The tensor that the turn on screen made under the same name, else its last. */
function standIn({ cards }: GraphModel, card: Card, turns: Turns, loop: string): Card | null {
  const made = cards.filter(
    (each) => each.from === null && turns.around(each.tensor.place).some((turn) => turn.loop === loop),
  );
  return made.findLast(({ label }) => label === card.label) ?? made.at(-1) ?? null;
}

function lineFrom(source: string, target: string): Link {
  return { id: `later:${target}`, source, target, edges: [], operand: null, flies: false, constant: true };
}
