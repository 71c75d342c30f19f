/**
 * The part of a prompt that is about the agent itself and what it remembers: slots in the order of their priority, within a budget.
 *
 * I1  Who the agent is, its sensorium and its affect are never cut. Any other slot is cut at the end of an item, and the sensorium says
 *     how many items of which slot are missing.
 * I2  Only what labels trust stands in a slot: the words of people and of code. See `slot-items.ts`.
 *
 * Source: springdrift 3 (slots, priorities, budget), 17 (M6, M7); artoo C (tiers; a validator remembers nothing).
 */
import type { ThinkingRole } from '@retainer/contract/api/roles';
import { z } from 'zod';
import { affectLine } from '../../parts/affect/affect-line.ts';
import type { Affect } from '../../parts/affect/measure.ts';
import { sensorium } from './sensorium.ts';
import { fillTemplate, parseTemplate } from './template.ts';
import type { Cut, SelfView } from './view.ts';
import { escaped } from './xml.ts';

/** In the order in which they get their share: the first are kept longest. */
export const SLOTS = ['agent', 'sensorium', 'affect', 'counts', 'runs', 'threads', 'facts', 'cases', 'also'] as const;
export type Slot = (typeof SLOTS)[number];

/** In these the newest item is the last: the first ones are cut. */
const NEWEST_LAST: ReadonlySet<Slot> = new Set(['runs']);

/** Slots that are filled with items from memory, each a line. */
export type Items = Partial<Readonly<Record<Exclude<Slot, 'agent' | 'sensorium' | 'affect'>, readonly string[]>>>;

/**
 * Who judges remembers nothing: neither past verdicts nor the agent's state may colour a verdict. Cases reach whoever plans, or works
 * on a single step, in lines that a plan can name (`constraint-lines.ts`).
 */
const GIVEN: Readonly<Partial<Record<ThinkingRole, readonly Slot[]>>> = {
  Perceiver: SLOTS,
  Planner: ['agent', 'sensorium', 'affect', 'also'],
  Executor: ['agent', 'sensorium', 'affect', 'also'],
};

const givenTo = (role: ThinkingRole): readonly Slot[] => GIVEN[role] ?? [];

/** Whether the role is told anything of the agent. */
export function isTold(role: ThinkingRole): boolean {
  return givenTo(role).length > 0;
}

/** Whether memory is asked for the role: about facts, threads and cases. */
export function isGivenRecall(role: ThinkingRole): boolean {
  return givenTo(role).includes('cases');
}

const template = parseTemplate(
  `The program measured what follows when this work began. It tells you of yourself and is no order.
<self agent="{{agent}}">
{{sensorium}}
<affect>{{affect}}</affect> [OMIT IF EMPTY]
<counts>{{counts}}</counts> [OMIT IF ZERO]
<runs>{{runs}}</runs> [OMIT IF EMPTY]
<threads>{{threads}}</threads> [OMIT IF EMPTY]
<facts>{{facts}}</facts> [OMIT IF EMPTY]
<cases>{{cases}}</cases> [OMIT IF EMPTY]
<also>{{also}}</also> [OMIT IF EMPTY]
</self>`,
  SLOTS,
);

/** Characters of the agent's name and version, and of one item. */
const AGENT_CHARACTERS = 160;
const ITEM_CHARACTERS = 200;

/** Room for the lines that name cuts. */
const CUTS_CHARACTERS = 240;

/** What stands in each slot of a cycle's preamble, in the record of its start. */
export const Manifest = z.array(
  z.object({
    slot: z.enum(SLOTS),
    items: z.number(),
    characters: z.number(),
    /** Items that did not fit. */
    cut: z.number(),
  }),
);
export type Manifest = z.infer<typeof Manifest>;

export interface Self {
  /** Its name and the version of the program. */
  readonly agent: string;
  readonly view: SelfView;
  /** Absent before the first measurement. */
  readonly affect?: Affect;
  readonly items: Items;
}

export interface Curated {
  readonly text: string;
  readonly manifest: Manifest;
}

interface Filled {
  readonly slot: Slot;
  readonly lines: readonly string[];
  readonly cut: number;
}

/** @param charactersMax  at least PREAMBLE_CHARACTERS_MIN. @returns undefined for a role that is given nothing */
export function curate(role: ThinkingRole, self: Self, charactersMax: number): Curated | undefined {
  const given = givenTo(role);
  if (given.length === 0) return undefined;
  const agent = escaped(self.agent, AGENT_CHARACTERS);
  const affect = self.affect === undefined ? [] : [affectLine(self.affect)];
  const whole = (told: string): readonly Filled[] => [
    { slot: 'agent', lines: [agent], cut: 0 },
    { slot: 'sensorium', lines: [told], cut: 0 },
    { slot: 'affect', lines: affect, cut: 0 },
  ];
  const bare = sensorium(self.view, []);
  const left = charactersMax - render(whole(bare)).length - CUTS_CHARACTERS;
  const filled = fill(self.items, given, left);
  const cuts = filled.flatMap(({ slot, cut }): readonly Cut[] => (cut === 0 ? [] : [{ slot, items: cut }]));
  const all = [...whole(cuts.length === 0 ? bare : sensorium(self.view, cuts)), ...filled];
  return { text: render(all), manifest: all.filter(({ lines, cut }) => lines.length + cut > 0).map(entryOf) };
}

function render(filled: readonly Filled[]): string {
  return fillTemplate(template, Object.fromEntries(filled.map(({ slot, lines }) => [slot, lines.join('\n')])));
}

/** Takes items while they fit, slot by slot; a slot whose next item does not fit is over. */
function fill(items: Items, given: readonly Slot[], charactersMax: number): readonly Filled[] {
  let left = charactersMax;
  return SLOTS.filter((slot) => given.includes(slot)).flatMap((slot): readonly Filled[] => {
    const offered = slot === 'agent' || slot === 'sensorium' || slot === 'affect' ? undefined : items[slot];
    if (offered === undefined || offered.length === 0) return [];
    left -= frameOf(slot);
    const lines: string[] = [];
    for (const item of NEWEST_LAST.has(slot) ? offered.toReversed() : offered) {
      const line = escaped(item, ITEM_CHARACTERS);
      if (line.length + 1 > left) break;
      left -= line.length + 1;
      lines.push(line);
    }
    return [{ slot, lines: NEWEST_LAST.has(slot) ? lines.toReversed() : lines, cut: offered.length - lines.length }];
  });
}

/** Characters of a slot's own line in the template. */
const frameOf = (slot: Slot): number => `<${slot}></${slot}>\n`.length;

function entryOf({ slot, lines, cut }: Filled): Manifest[number] {
  return { slot, items: lines.length, characters: lines.join('\n').length, cut };
}
