/**
 * Makes cases and queries whose answers are known: a case is relevant to a query of its domain that shares two keywords.
 *
 * Source: springdrift 5 (its recipe; words and numbers are ours).
 */
import { Seeded } from '@retainer/agent-pod/attack/seeded';
import type { Problem, RecallCase } from '@retainer/mind/memory/recall/recall-case';

const intents = ['report', 'comparison', 'analysis', 'forecast', 'audit'];

/** Four keywords of the core, then special ones, by domain and part. */
const domains: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gardening: {
    vegetables: 'tomato bean carrot lettuce trellis seedling compost harvest',
    orchard: 'apple pear pruning blossom graft rootstock cider',
    lawn: 'grass mowing moss edging clover thatch reseeding',
    pests: 'aphid slug blight mildew ladybird netting nematode',
    greenhouse: 'glazing ventilation humidity heater staging shade propagator',
  },
  sailing: {
    rigging: 'mast shroud halyard boom forestay turnbuckle splice',
    navigation: 'chart compass bearing tide buoy sextant waypoint',
    weather: 'wind squall barometer swell fog gale forecast',
    mooring: 'anchor buoyline fender bollard cleat marina warp',
    hull: 'keel varnish osmosis antifouling rudder bilge gelcoat',
  },
  music: {
    strings: 'violin cello bow rosin vibrato fingerboard pizzicato',
    brass: 'trumpet trombone mouthpiece valve mute slide embouchure',
    harmony: 'chord cadence triad key modulation dissonance counterpoint',
    recording: 'microphone mixing reverb compressor mastering preamp take',
    rhythm: 'drum tempo metre syncopation metronome cymbal groove',
  },
  cooking: {
    bread: 'flour yeast dough crust sourdough kneading proofing',
    fish: 'salmon fillet poaching smoking bone brine cod',
    sauces: 'butter roux stock emulsion reduction whisk cream',
    desserts: 'sugar caramel custard meringue chocolate gelatine sorbet',
    grill: 'charcoal marinade skewer steak smoke ember rub',
  },
};

const shared = ['cost season beginner expert', 'repair storage weekly budget', 'safety tool schedule supplier'];
const places = ['Oslo', 'Porto', 'Lyon', 'Graz', 'Cork', 'Ghent', 'Turin', 'Malmo'];

export interface RetrievalData {
  readonly cases: readonly RecallCase[];
  readonly queries: readonly { readonly problem: Problem; readonly relevant: ReadonlySet<string> }[];
}

export function retrievalData(seed: number): RetrievalData {
  const drawn = new Seeded(seed);
  const some = (from: readonly string[], count: number): readonly string[] => {
    const left = [...from];
    return Array.from({ length: count }, () => left.splice(drawn.below(left.length), 1)[0] ?? '');
  };
  const one = (from: readonly string[]): string => from[drawn.below(from.length)] ?? '';
  const parts = Object.entries(domains).flatMap(([domain, inner]) =>
    Object.values(inner).map((words) => ({
      domain,
      core: words.split(' ').slice(0, 4),
      special: words.split(' ').slice(4),
    })),
  );
  const cases = parts.flatMap(({ domain, core, special }, part) =>
    Array.from({ length: 40 }, (_, n): RecallCase => {
      const pools = some(shared, 1 + drawn.below(2)).map((pool) => one(pool.split(' ')));
      const keywords = [...some(core, 2 + drawn.below(2)), ...some(special, drawn.below(3)), ...pools];
      const entities = some(places, 1 + drawn.below(3));
      const id = String(part * 40 + n).padStart(4, '0');
      const writtenAtMs = drawn.below(2_000_000_000);
      return { id, intent: one(intents), domain, keywords, entities, text: '', writtenAtMs, shown: 0, succeeded: 0 };
    }),
  );
  const queries = parts.flatMap(({ domain, core }) =>
    Array.from({ length: 10 }, (_, n) => {
      const pools = some(shared, 2).map((pool) => some(pool.split(' '), 2));
      const keywords =
        n < 4 ? some(core, 3) : n < 7 ? [...some(core, 2), ...(pools[0] ?? [])] : [...some(core, 1), ...pools.flat()];
      const problem = { intent: one(intents), domain, keywords, entities: n < 7 ? some(places, 1) : [], text: '' };
      const relevant = cases.filter(
        (it) => it.domain === domain && it.keywords.filter((word) => keywords.includes(word)).length >= 2,
      );
      return { problem, relevant: new Set(relevant.map(({ id }) => id)) };
    }),
  );
  return { cases, queries };
}
