/**
 * The three normative level schemes, as data. The ordinals of each form a total order; no scheme maps to another.
 *
 * Source: springdrift 1; design 7 (levels in the CRD).
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

/** The first is the default. */
export const LEVEL_SCHEME_NAMES = [
  'Springdrift',
  'Paper',
  'TallMountain',
] as const satisfies readonly LevelSchemeName[];

/** The levels of all schemes, without duplicates, in the order of first appearance. */
export const LEVEL_NAMES: readonly LevelName[] = [...new Set(LEVEL_SCHEME_NAMES.flatMap((scheme) => levelsOf(scheme)))];

/** Highest first. */
export function levelsOf(scheme: LevelSchemeName): readonly LevelName[] {
  return Object.keys(LEVEL_SCHEMES[scheme]) as LevelName[];
}

/** Undefined if the scheme does not have the level. */
export function levelOrdinal(scheme: LevelSchemeName, level: LevelName): number | undefined {
  const ordinals: Readonly<Partial<Record<LevelName, number>>> = LEVEL_SCHEMES[scheme];
  return ordinals[level];
}

export function schemesWith(level: LevelName): readonly LevelSchemeName[] {
  return LEVEL_SCHEME_NAMES.filter((scheme) => levelOrdinal(scheme, level) !== undefined);
}

/**
 * Lowest of the middle levels of a scheme; they end below `Legal`.
 *
 * Source: springdrift 1 (floor 7 begins at professional ethics). Differs: a scheme without that name has the level that stands at
 * the same place.
 */
export const LOWEST_MIDDLE_LEVEL = {
  Springdrift: 'ProfessionalEthics',
  Paper: 'ProfessionalEthics',
  TallMountain: 'ProfessionalOrganizational',
} as const satisfies { readonly [S in LevelSchemeName]: keyof (typeof LEVEL_SCHEMES)[S] };

/** Relative to the node with `levelScheme`. */
const FEATURE_LISTS = ['input', 'tool', 'output'].map((gate) => `self.gatePolicies.${gate}.features`);

/**
 * If a character uses a level, its scheme must have that level.
 *
 * One rule per level that some scheme lacks, since the API server's cost limit leaves no room to compute the level's name for
 * the message.
 */
export const levelSchemeRules: readonly CelRule[] = LEVEL_NAMES.filter(
  (level) => schemesWith(level).length < LEVEL_SCHEME_NAMES.length,
).map((level) => {
  const schemes = schemesWith(level);
  const inFeature = `(has(f.level) && f.level == '${level}') || (has(f.claimLevel) && f.claimLevel == '${level}')`;
  const uses = [
    `self.highestEndeavour.exists(p, p.level == '${level}')`,
    ...FEATURE_LISTS.map((features) => `${features}.exists(f, ${inFeature})`),
    `self.gatePolicies.agentOverrides.exists(o, has(o.tool.features) && o.tool.features.exists(f, ${inFeature}))`,
  ];
  return {
    rule: `self.levelScheme in [${schemes.map((scheme) => `'${scheme}'`).join(', ')}] || !(${uses.join(' || ')})`,
    message: `level ${level} is not in the chosen levelScheme; it belongs to ${schemes.join(' and ')}`,
    fieldPath: '.levelScheme',
  };
});
