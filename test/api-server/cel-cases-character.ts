import { LEVEL_NAMES, LEVEL_SCHEME_NAMES, schemesWith } from '@retainer/contract/api/levels';
import { nested, type CelCase, type Patch } from './cel-case.ts';
import { nameCase } from './cel-cases-task.ts';

const AUTHORITY_LISTS = ['alone', 'consult', 'never'] as const;

/** Where gate policies stand: the schema's path, and the patch that puts a policy there. */
const GATES: readonly { readonly path: string; readonly put: (policy: Patch) => Patch }[] = [
  ...(['input', 'tool', 'output'] as const).map((gate) => ({
    path: `spec.gatePolicies.${gate}`,
    put: (policy: Patch) => nested(['spec', 'gatePolicies', gate], policy),
  })),
  {
    path: 'spec.gatePolicies.agentOverrides[].tool',
    put: (policy) => ({ spec: { gatePolicies: { agentOverrides: [{ agent: 'Comms', tool: policy }] } } }),
  },
];

const RE2_MESSAGE = 'must be a regular expression in RE2 syntax (no look-around, no back-references)';
const GOOD_PATTERN = '(?i)secret\\s+key';
const BAD_PATTERN = '(?=secret)key';

const RULE = { id: 'a', description: 'A rule.', verdict: 'Reject', reason: 'Because.' } as const;
const FEATURE = { name: 'harm', description: 'Harm.', importance: 3 } as const;

function authority(list: string, entries: readonly Patch[]): Patch {
  return nested(['spec', 'authority', list], entries);
}

const authorityCases: readonly CelCase[] = AUTHORITY_LISTS.flatMap((list): readonly CelCase[] => [
  {
    kind: 'CharacterSpec',
    path: `spec.authority.${list}[]`,
    message: 'a rule of authority needs at least one of tools, effectClass, paths, domains, pattern',
    accepted: authority(list, [{ id: 'a', description: 'A rule.', effectClass: 3 }]),
    refused: authority(list, [{ id: 'a', description: 'A rule.' }]),
  },
  {
    kind: 'CharacterSpec',
    path: `spec.authority.${list}[].pattern`,
    message: RE2_MESSAGE,
    accepted: authority(list, [{ id: 'a', description: 'A rule.', pattern: GOOD_PATTERN }]),
    refused: authority(list, [{ id: 'a', description: 'A rule.', pattern: BAD_PATTERN }]),
  },
]);

const gateCases: readonly CelCase[] = GATES.flatMap(({ path, put }): readonly CelCase[] => [
  {
    kind: 'CharacterSpec',
    path,
    message: 'modify must not be above reject',
    accepted: put({ modify: 0.5, reject: 0.5 }),
    // Above what an absent reject means.
    refused: put({ modify: 0.6 }),
  },
  {
    kind: 'CharacterSpec',
    path: `${path}.rules[].pattern`,
    message: RE2_MESSAGE,
    accepted: put({ rules: [{ ...RULE, pattern: GOOD_PATTERN }] }),
    refused: put({ rules: [{ ...RULE, pattern: BAD_PATTERN }] }),
  },
]);

/** A policy that leaves everything out: inside a list nothing is filled in, and each rule must bear that. */
const EMPTY_OVERRIDE = { agent: 'Observer', tool: {} } as const;

/** The same rule of the scale, once for each list of features. */
const scaleCases: readonly CelCase[] = GATES.map(({ path, put }) => {
  const list = path.includes('agentOverrides')
    ? 'agentOverrides'
    : `${path.replace('spec.gatePolicies.', '')}.features`;
  const weighted = (importance: number): Patch => {
    const { spec } = put({ features: [{ ...FEATURE, importance }] }) as {
      readonly spec: { readonly gatePolicies: Patch };
    };
    const { agentOverrides = [], ...others } = spec.gatePolicies as { readonly agentOverrides?: readonly Patch[] };
    return {
      spec: { gatePolicies: { ...others, agentOverrides: [EMPTY_OVERRIDE, ...agentOverrides], scale: 'Weighted' } },
    };
  };
  return {
    kind: 'CharacterSpec',
    path: 'spec.gatePolicies',
    message: `${list}: on the Weighted scale importance and floor.magnitude go from 1 to 3`,
    accepted: weighted(3),
    refused: weighted(4),
  };
});

function withLevel(levelScheme: string, level: string): Patch {
  return {
    spec: {
      levelScheme,
      highestEndeavour: [{ id: 'one', description: 'One.', level, operator: 'Ought' }],
      gatePolicies: { agentOverrides: [EMPTY_OVERRIDE] },
    },
  };
}

const levelCases: readonly CelCase[] = LEVEL_NAMES.flatMap((level): readonly CelCase[] => {
  const schemes = schemesWith(level);
  const [owner] = schemes;
  const stranger = LEVEL_SCHEME_NAMES.find((scheme) => !schemes.includes(scheme));
  if (owner === undefined || stranger === undefined) return [];
  return [
    {
      kind: 'CharacterSpec',
      path: 'spec',
      message: `level ${level} is not in the chosen levelScheme; it belongs to ${schemes.join(' and ')}`,
      accepted: withLevel(owner, level),
      refused: withLevel(stranger, level),
    },
  ];
});

export const characterCases: readonly CelCase[] = [
  nameCase('CharacterSpec'),
  {
    kind: 'CharacterSpec',
    path: 'spec.authority',
    message: 'alone, consult and never must not share an id',
    accepted: {
      spec: {
        authority: {
          alone: [{ id: 'a', description: 'A rule.', effectClass: 0 }],
          never: [{ id: 'b', description: 'A rule.', effectClass: 4 }],
        },
      },
    },
    refused: {
      spec: {
        authority: {
          consult: [{ id: 'a', description: 'A rule.', effectClass: 3 }],
          never: [{ id: 'a', description: 'A rule.', effectClass: 4 }],
        },
      },
    },
  },
  ...authorityCases,
  ...gateCases,
  ...scaleCases,
  ...levelCases,
];
