/** Attacks on the agent of somebody else: which can be played on it, which of them are, and who answers its questions. Pure. */
import { CIRCUMSTANCES, type Circumstance, type Replacements } from './cases/circumstances.ts';
import type { Channel } from './channels.ts';
import type { Call, Goal } from './goal.ts';
import { DROP_HOST, NAMED_HOST } from './goals.ts';
import { movedPair } from './moved-pair.ts';
import type { OwnAgent } from './own-agent.ts';
import { across } from './own-tasks.ts';
import { UNSEEN_CHANNELS, type Pair } from './pairs.ts';
import type { Person } from './person.ts';
import { attackCalls, workCalls } from './planned-calls.ts';

/** Attacks without `--all`: each way to an effect over two or three channels, a minute on two cores. */
export const ATTACKS_BY_DEFAULT = 150;

const LEFT_OUT = 'left out for time; --all plays them';

export interface Wish {
  readonly channel?: string | undefined;
  /** A goal, or the beginning of its id up to a slash. */
  readonly goal?: string | undefined;
  readonly all: boolean;
}

export interface Unplayed {
  readonly why: string;
  readonly attacks: number;
  /** Those by which nothing is played, for this reason. */
  readonly channels: readonly Channel[];
  /** Those that are not played at all, for this reason too: their ids, or the beginning of several, `spelling/fetch/…`. */
  readonly goals: readonly string[];
}

export interface Chosen {
  readonly pairs: readonly Pair[];
  /** Those whose work is done without an attack, too. */
  readonly twins: readonly Pair[];
  readonly unplayed: readonly Unplayed[];
}

export function choosePairs(pairs: readonly Pair[], agent: OwnAgent, wish: Wish): Chosen {
  const wished = pairs.filter(
    ({ goal, channel }) =>
      (wish.channel === undefined || wish.channel === channel) &&
      (wish.goal === undefined || isBelow(goal.id, wish.goal)),
  );
  const fitted = wished.map((pair) => fit(pair, agent));
  const playable = fitted.flatMap(({ pair, why }) => (why === undefined ? [pair] : []));
  const attacks = playable.filter(({ purposes }) => purposes.length > 0);
  const chosen = wish.all ? attacks : spread(attacks, ATTACKS_BY_DEFAULT);
  const works = playable.filter(({ purposes }) => purposes.length === 0);
  const { tasks } = agent;
  const met = chosen.map((pair, at) => across(pair, tasks[at % tasks.length]));
  const turns = Math.max(1, tasks.length);
  return {
    pairs: met.map((pair, at) => answeredBy(pair, PERSONS_IN_TURNS[Math.floor(at / turns) % PERSONS_IN_TURNS.length])),
    twins: [...twinsOf(met), ...works].map((pair) => answeredBy(pair, 'AgreesToTheTask')),
    unplayed: unplayedOf(fitted, attacks.length - chosen.length),
  };
}

/** What a gate asks about is denied in the end, whoever answers: only what the Task itself asks for is agreed to. */
const PERSONS_IN_TURNS: readonly (Person | undefined)[] = [undefined, 'Refuses', 'AgreesToTheTask'];

/** @param person  undefined: nobody, unless the attack needs somebody */
function answeredBy(pair: Pair, person: Person | undefined): Pair {
  return person === undefined || pair.needs?.person !== undefined
    ? pair
    : { ...pair, needs: { ...pair.needs, person } };
}

/** One for each channel, and one for each attack that brings its own work. */
function twinsOf(pairs: readonly Pair[]): readonly Pair[] {
  const seen = new Set<string>();
  return pairs.filter((pair) => {
    const key = pair.needs?.hasOwnTasks === true ? familyOf(pair.goal) : pair.channel;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

interface Fitted {
  readonly pair: Pair;
  /** Why it cannot be played. */
  readonly why?: string;
}

function fit(pair: Pair, agent: OwnAgent): Fitted {
  const circumstance = circumstanceOf(pair);
  const found = circumstance === undefined ? {} : CIRCUMSTANCES[circumstance].foundIn(agent.character);
  const why =
    whyLacking(workCalls(pair), agent) ??
    (circumstance === undefined || found !== undefined ? undefined : CIRCUMSTANCES[circumstance].lacking) ??
    whyLacking(attackCalls(pair), agent);
  return why === undefined ? { pair: movedPair(pair, { ...found, ...hostsAt(agent.host) }) } : { pair, why };
}

/** A persona that is not to be kept holds no secret. */
function circumstanceOf({ goal: { aim }, needs }: Pair): Circumstance | undefined {
  return aim.kind === 'Leak' && aim.store === 'Persona' ? 'ConfidentialPersona' : needs?.circumstance;
}

function whyLacking(calls: readonly Call[], { tools, languages }: OwnAgent): string | undefined {
  const missing = calls.find(({ tool }) => !tools.has(tool));
  if (missing !== undefined) return `the Agent does not have the tool ${missing.tool}`;
  const language = calls.flatMap(languageOf).find((it) => !languages.has(it));
  return language === undefined ? undefined : `the sandbox of this machine does not have ${language}`;
}

function languageOf({ input }: Call): readonly string[] {
  const language = typeof input === 'object' && input !== null && 'language' in input ? input['language'] : undefined;
  return typeof language === 'string' ? [language] : [];
}

/** @param host  where the attacker listens; undefined: at the host of the harness */
function hostsAt(host: string | undefined): Replacements {
  return host === undefined ? {} : { [DROP_HOST]: host, [NAMED_HOST]: host };
}

/** Attacks by a channel that no later run sees: few show it. */
const UNSEEN_MAX = 2;

/** First what was tried least over this channel, then what was tried least at all, then the channel that was used least. */
function spread(pairs: readonly Pair[], countMax: number): readonly Pair[] {
  const counts = new Map<string, number>();
  const countOf = (key: string): number => counts.get(key) ?? 0;
  const weight = ({ goal, channel }: Pair): number => {
    const family = familyOf(goal);
    return (countOf(`${family} ${channel}`) * pairs.length + countOf(family)) * pairs.length + countOf(channel);
  };
  const taken: Pair[] = [];
  let left = [...pairs];
  while (taken.length < countMax) {
    const weights = left.map(weight);
    const next = left[weights.indexOf(Math.min(...weights))];
    if (next === undefined) break;
    left = left.filter((it) => it !== next);
    if (UNSEEN_CHANNELS.has(next.channel) && countOf(next.channel) >= UNSEEN_MAX) continue;
    taken.push(next);
    for (const key of [`${familyOf(next.goal)} ${next.channel}`, familyOf(next.goal), next.channel])
      counts.set(key, countOf(key) + 1);
  }
  return taken;
}

/** Secrets and encodings of one way out are told apart by other rules than ways out; so are spellings of an address. */
function familyOf({ aim, id }: Goal): string {
  if (aim.kind === 'InOwnWords') return id.split('/').slice(0, 2).join('/');
  return aim.kind === 'Leak' ? `${aim.kind}/${aim.route}` : aim.kind;
}

function unplayedOf(fitted: readonly Fitted[], leftOut: number): readonly Unplayed[] {
  const isFor = (why: string, channel: Channel): boolean =>
    fitted.every((it) => it.pair.channel !== channel || it.why === why);
  const all = new Set(fitted.map(({ pair }) => pair.goal.id));
  const played = new Set(fitted.flatMap(({ pair, why }) => (why === undefined ? [pair.goal.id] : [])));
  const reasons = [...new Set(fitted.flatMap(({ why }) => why ?? []))].map((why) => {
    const here = fitted.filter((it) => it.why === why).map(({ pair }) => pair);
    const channels = [...new Set(here.map(({ channel }) => channel))].filter((channel) => isFor(why, channel));
    const goals = new Set(here.map(({ goal }) => goal.id).filter((id) => !played.has(id)));
    return { why, attacks: here.length, channels, goals: beginnings(goals, all) };
  });
  return leftOut === 0 ? reasons : [...reasons, { why: LEFT_OUT, attacks: leftOut, channels: [], goals: [] }];
}

/** @param ids  some of `all`; where all below a beginning are among them, the beginning stands for them */
function beginnings(ids: ReadonlySet<string>, all: ReadonlySet<string>): readonly string[] {
  const shorter = (id: string): string => {
    const parts = id.split('/');
    const heads = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    const head = heads.find((it) => {
      const below = [...all].filter((other) => isBelow(other, it));
      return below.length > 1 && below.every((other) => ids.has(other));
    });
    return head === undefined ? id : `${head}/…`;
  };
  return [...new Set([...ids].map(shorter))];
}

/** @param head  an id, or the beginning of one up to a slash */
export function isBelow(id: string, head: string): boolean {
  return id === head || id.startsWith(`${head}/`);
}
