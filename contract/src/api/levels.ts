/**
 * The three normative level schemes, as data. Each is totally ordered by its ordinals; nothing is mapped from one
 * scheme to another.
 *
 * Source: springdrift 1.1; design 7 (levels in the CRD).
 */
import type { CelRule } from './cel-rule.ts';

/** Level → ordinal, highest first. The higher ordinal wins. */
export const LEVEL_SCHEMES = {
  Springdrift: {
    EthicalMoral: 6000,
    Legal: 5000,
    SafetyPhysical: 4500,
    PrivacyData: 4000,
    IntellectualHonesty: 3500,
    ProfessionalEthics: 3000,
    UserAutonomy: 2500,
    Transparency: 2000,
    Proportionality: 1500,
    Efficiency: 1000,
    Courtesy: 750,
    Stylistic: 500,
    Aesthetic: 250,
    Operational: 100,
  },
  Paper: {
    EthicalMoral: 6000,
    Legal: 5000,
    Prudential: 4500,
    SocialPolitical: 4000,
    SafetyPhysical: 3500,
    Environmental: 3000,
    Community: 2500,
    ProfessionalEthics: 2000,
    Economic: 1500,
    Etiquette: 1000,
    Operational: 100,
  },
  TallMountain: {
    EthicalMoral: 6000,
    Legal: 5000,
    Prudential: 4500,
    SocialPolitical: 4000,
    ScientificTechnical: 3500,
    Environmental: 3250,
    CulturalReligious: 3000,
    Community: 2750,
    CodeOfConduct: 2500,
    Economic: 2250,
    ProfessionalOrganizational: 2000,
    Etiquette: 1500,
    Game: 1000,
    Aesthetic: 500,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;

export type LevelSchemeName = keyof typeof LEVEL_SCHEMES;
export type LevelName = { [S in LevelSchemeName]: keyof (typeof LEVEL_SCHEMES)[S] }[LevelSchemeName];

/** In the order of the design; the first is the default. */
export const LEVEL_SCHEME_NAMES = [
  'Springdrift',
  'Paper',
  'TallMountain',
] as const satisfies readonly LevelSchemeName[];

/** Every level of any scheme, each once, in the order of first appearance. */
export const LEVEL_NAMES: readonly LevelName[] = [...new Set(LEVEL_SCHEME_NAMES.flatMap((scheme) => levelsOf(scheme)))];

/** Names of a scheme's levels, highest first. */
export function levelsOf(scheme: LevelSchemeName): readonly LevelName[] {
  return Object.keys(LEVEL_SCHEMES[scheme]) as LevelName[];
}

/** The ordinal of `level` in `scheme`, or undefined where the scheme does not have it. */
export function levelOrdinal(scheme: LevelSchemeName, level: LevelName): number | undefined {
  const ordinals: Readonly<Partial<Record<LevelName, number>>> = LEVEL_SCHEMES[scheme];
  return ordinals[level];
}

/** The schemes that have `level`. */
export function schemesWith(level: LevelName): readonly LevelSchemeName[] {
  return LEVEL_SCHEME_NAMES.filter((scheme) => levelOrdinal(scheme, level) !== undefined);
}

/** CEL map literal from scheme to its level names. */
const SCHEMES_IN_CEL = `{${LEVEL_SCHEME_NAMES.map((scheme) => `'${scheme}': [${quoted(levelsOf(scheme))}]`).join(', ')}}`;

const SCHEMES_IN_WORDS = LEVEL_SCHEME_NAMES.map((scheme) => `${scheme}: ${levelsOf(scheme).join(', ')}`).join('; ');

/** The rule that the levels of every specialist's features belong to the chosen scheme. */
export const overrideLevelsRule: CelRule = {
  rule: `self.gatePolicies.agentOverrides.all(o, o.tool.features.all(f, (!has(f.level) || f.level in ${SCHEMES_IN_CEL}[self.levelScheme]) && (!has(f.claimLevel) || f.claimLevel in ${SCHEMES_IN_CEL}[self.levelScheme])))`,
  message: `gatePolicies.agentOverrides: every level must belong to the chosen levelScheme (${SCHEMES_IN_WORDS})`,
};

/**
 * The rule that every level found by `levels` belongs to the chosen scheme; its message names the schemes that have it.
 *
 * @param levels  CEL for a list of level names, on the node that has `levelScheme`
 * @param where   the field for the message, such as `highestEndeavour`
 */
export function levelSchemeRule(levels: string, where: string): CelRule {
  const stranger = `${levels}.filter(l, !(l in ${SCHEMES_IN_CEL}[self.levelScheme]))[0]`;
  const owners = `[${quoted(LEVEL_SCHEME_NAMES)}].filter(s, ${stranger} in ${SCHEMES_IN_CEL}[s]).join(' and ')`;
  return {
    rule: `${levels}.all(l, l in ${SCHEMES_IN_CEL}[self.levelScheme])`,
    message: `${where}: every level must belong to the chosen levelScheme (${SCHEMES_IN_WORDS})`,
    messageExpression: `'${where}: level ' + ${stranger} + ' is not in the scheme ' + self.levelScheme + '; it belongs to ' + ${owners}`,
  };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
