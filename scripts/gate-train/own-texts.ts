/** Texts of our own wording: attacks by way and language, and harmless texts that share words with them. */
import { makeAttacks } from '../../test/support/gate-texts/attacks.ts';
import { everydayDomains } from '../../test/support/gate-texts/benign-everyday.ts';
import { technicalDomains } from '../../test/support/gate-texts/benign-technical.ts';
import { composeTexts } from '../../test/support/gate-texts/compose.ts';
import { Seeded } from '../../test/support/seeded.ts';
import type { Sample } from './sample.ts';
import { englishAttacks, englishLists, personaRules } from './wording/attacks-english.ts';
import { moreAttacks } from './wording/attacks-more.ts';
import { expand, pick, type Family } from './wording/expand.ts';
import { aboutAttacks, harmlessLists, ordinaryWork, playAndNotices } from './wording/harmless.ts';
import { wordings } from './wording/other-languages.ts';

const PER_FRAME = 30;
const PER_FRAME_OTHER_LANGUAGE = 12;
const attackLists = { ...englishLists, personaRule: personaRules };

/** @param carriers  harmless texts that attacks are also set into */
export function ownTexts(carriers: readonly string[], seed: number): readonly Sample[] {
  const random = new Seeded(seed);
  return [
    ...[...englishAttacks, ...moreAttacks].flatMap((family, part) => attacksOf(family, part, { carriers, random })),
    ...otherLanguages(carriers, random),
    ...[...ordinaryWork, ...playAndNotices, ...aboutAttacks].flatMap((family) => harmlessOf(family, random)),
    ...composeTexts([...technicalDomains, ...everydayDomains], 60, seed).map(({ domain, text }) =>
      sampleOf('own-composed', domain, text, false),
    ),
    ...makeAttacks('Development', seed)
      .filter(({ disguise }) => disguise === 'plain' || disguise === 'upper case')
      .map(({ text, channel }) => sampleOf('own-development', channel, text, true)),
  ];
}

function sampleOf(set: string, source: string, text: string, isAttack: boolean): Sample {
  return { set, source: `own:${set}:${source}`, text, isAttack };
}

interface Making {
  readonly carriers: readonly string[];
  readonly random: Seeded;
}

function attacksOf(family: Family, part: number, { carriers, random }: Making): readonly Sample[] {
  return family.frames.flatMap((frame, index) =>
    Array.from({ length: PER_FRAME }, (_, at) => {
      const text = expand(frame, attackLists, random);
      const isCarried = family.isEmbedded === true || family.isInToolResult === true ? at % 2 === 0 : at % 6 === 0;
      const placed = isCarried ? carried(text, carriers, random) : text;
      return sampleOf(`own-${family.name}`, `${part}:${index}`, placed, true);
    }),
  );
}

const CARRIER_CHARACTERS = 160;

/** Between, before or after parts of a harmless text. */
function carried(text: string, carriers: readonly string[], random: Seeded): string {
  const part = (): string => {
    const carrier = pick(carriers, random);
    const start = random.below(Math.max(1, carrier.length - CARRIER_CHARACTERS));
    const from = carrier.indexOf(' ', start) + 1;
    return carrier.slice(from, from + CARRIER_CHARACTERS);
  };
  const gap = pick(['\n', '\n\n', ' ', '. ', '", "note": "'], random);
  return pick([`${part()}${gap}${text}`, `${text}${gap}${part()}`, `${part()}${gap}${text}${gap}${part()}`], random);
}

function otherLanguages(carriers: readonly string[], random: Seeded): readonly Sample[] {
  return Object.entries(wordings).flatMap(([language, { attacks, harmless }]) => [
    ...attacks.flatMap((frame, index) =>
      Array.from({ length: PER_FRAME_OTHER_LANGUAGE }, (_, at) => {
        const text = expand(frame, {}, random);
        return sampleOf(
          'own-translated',
          `${language}:${index}`,
          at % 6 === 0 ? carried(text, carriers, random) : text,
          true,
        );
      }),
    ),
    ...harmless.flatMap((frame, index) =>
      Array.from({ length: PER_FRAME_OTHER_LANGUAGE * 2 }, () =>
        sampleOf('own-foreign-harmless', `${language}:${index}`, expand(frame, {}, random), false),
      ),
    ),
  ]);
}

function harmlessOf(family: Family, random: Seeded): readonly Sample[] {
  return family.frames.flatMap((frame, index) =>
    Array.from({ length: PER_FRAME * 2 }, (_, at) => {
      const one = expand(frame, harmlessLists, random);
      const text = at % 3 === 0 ? `${one} ${expand(pick(family.frames, random), harmlessLists, random)}` : one;
      return sampleOf(`own-${family.name}`, `${index}`, text, false);
    }),
  );
}
