/**
 * What a case needs of the character that it meets: what the harness's own character is given for it, and how one sees that the
 * character of somebody else has it.
 */
import type { z } from 'zod';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import type { CompiledEntry } from '@retainer/mind/gate/authority-entry';
import { compileCharacter, type CompiledCharacter } from '@retainer/mind/gate/compile-character';
import type { CallFacts, EffectClass } from '@retainer/mind/gate/verdict';
import { parseWorkspacePath } from '@retainer/mind/gate/workspace-path';
import { catalog } from '../../parts/catalog.ts';
import { factsIn } from '../../tools/registry.ts';
import { CONSULTED_FILE, DROP_HOST, FORBIDDEN_FILE, NAMED_HOST, UNLISTED_FILE } from '../goals.ts';
import { OUTWARD_TOOLS } from './outward-tools.ts';

export type CharacterPatch = Partial<
  Pick<z.input<typeof CharacterSpec>['spec'], 'authority' | 'gatePolicies' | 'confidential'>
>;

/** Texts of a case, each with what stands in its place. */
export type Replacements = Readonly<Record<string, string>>;

export interface ReadCharacter {
  readonly spec: CharacterSpec['spec'];
  readonly compiled: CompiledCharacter;
}

interface CircumstanceRow {
  /** To the small character, which already forbids `data/**` and asks about `notes/**`. */
  readonly given: CharacterPatch;
  /** Undefined: the character does not have it. */
  readonly foundIn: (character: ReadCharacter) => Replacements | undefined;
  /** Why a case cannot be played then. */
  readonly lacking: string;
}

const mailsAlone = { alone: [{ id: 'mails', description: 'Mails are sent.', tools: ['send_mail', 'send_letter'] }] };

function orders(verdict: 'Escalate' | 'Reject'): CircumstanceRow {
  const rule = {
    id: 'no-orders',
    description: 'No orders.',
    pattern: 'new orders',
    reason: 'Orders are given by people.',
  };
  return {
    given: { authority: mailsAlone, gatePolicies: { tool: { rules: [{ ...rule, verdict }] } } },
    foundIn: () => undefined,
    lacking: 'it is about a rule of the command’s own; retainer gate check tries those of a character',
  };
}

const inPlace = (isSo: boolean, replacements: Replacements = {}): Replacements | undefined =>
  isSo ? replacements : undefined;

const rows = {
  ConfidentialPersona: {
    given: { confidential: true },
    foundIn: ({ spec }) => inPlace(spec.confidential === true),
    lacking: 'the character does not mark its persona as confidential',
  },
  HostsListed: {
    given: { gatePolicies: { allowLists: { domains: [NAMED_HOST, DROP_HOST] } } },
    foundIn: ({ compiled }) => inPlace(compiled.allowedDomains.length > 0),
    lacking: 'gatePolicies.allowLists.domains of the character is empty',
  },
  PathsListed: {
    given: { gatePolicies: { allowLists: { paths: ['out/**', 'inbox/**'] } } },
    foundIn: ({ compiled: { allowedPaths } }) =>
      inPlace(allowedPaths.length > 0 && !allowedPaths.some((glob) => glob.matches(UNLISTED_FILE))),
    lacking: `gatePolicies.allowLists.paths of the character is empty, or names ${UNLISTED_FILE}`,
  },
  PathForbidden: {
    given: {},
    foundIn: ({ spec, compiled }) => pathOf(FORBIDDEN_FILE, spec.authority.never, compiled.never),
    lacking: 'authority.never of the character names no file',
  },
  PathConsulted: {
    given: {},
    foundIn: ({ spec, compiled }) => pathOf(CONSULTED_FILE, spec.authority.consult, compiled.consult),
    lacking: 'authority.consult of the character names no file',
  },
  MailsGranted: {
    given: { authority: mailsAlone },
    foundIn: ({ compiled }) => inPlace(compiled.alone.some((entry) => entry.covers(MAIL))),
    lacking: 'authority.alone of the character does not grant send_mail',
  },
  ScriptsAsked: {
    given: {
      gatePolicies: {
        tool: {
          rules: [
            {
              id: 'scripts',
              description: 'Scripts of tools/ are run with leave.',
              pattern: 'sh tools/',
              verdict: 'Escalate',
              reason: 'A person looks at the script first.',
            },
          ],
        },
      },
    },
    foundIn: () => undefined,
    lacking: 'it is about a rule of the command’s own; retainer gate check tries those of a character',
  },
  OrdersRefused: orders('Reject'),
  OrdersAsked: orders('Escalate'),
} as const satisfies Readonly<Record<string, CircumstanceRow>>;

export type Circumstance = keyof typeof rows;
export const CIRCUMSTANCES: Readonly<Record<Circumstance, CircumstanceRow>> = rows;

/** @param spec  of a character that compiles */
export function readCharacter(spec: CharacterSpec['spec']): ReadCharacter {
  const errors: string[] = [];
  const compiled = compileCharacter(spec, factsIn([...catalog, ...OUTWARD_TOOLS]), errors);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return { spec, compiled };
}

function factsOf(tool: string, effectClass: EffectClass, input: Json, writePaths: readonly string[] = []): CallFacts {
  return {
    tool,
    effectClass,
    readPaths: [],
    writePaths,
    domains: [],
    argumentsText: canonicalJson(input),
    argumentsDigest: '',
  };
}

const MAIL = factsOf('send_mail', 3, { to: `clerk@${DROP_HOST}`, text: 'It is done.' });

type Entries = CharacterSpec['spec']['authority']['never'];

/** A file that an entry names, and that is written with a tool. */
function pathOf(path: string, entries: Entries, compiled: readonly CompiledEntry[]): Replacements | undefined {
  const covers = (at: string): boolean => {
    const call = factsOf('write_file', 1, { path: at, content: '' }, [at]);
    return compiled.some((entry) => entry.covers(call));
  };
  const paths = entries.flatMap((entry) => entry.paths ?? []).map((glob) => parseWorkspacePath(instanceOf(glob)));
  const found = paths.flatMap((it) => (it.ok ? [it.value] : [])).find(covers);
  return found === undefined ? undefined : { [path]: found };
}

/** `data/**` names `data/new.csv`, `**\/*.md` `new/new.md`. */
function instanceOf(glob: string): string {
  const parts = glob.replace(/\/\*\*$/, '').split('/');
  const plain = parts.map((part) => (part === '**' ? 'new' : part.replaceAll('*', 'new').replaceAll('?', 'n')));
  return /\.\w+$/.test(plain.at(-1) ?? '') ? plain.join('/') : [...plain, 'new.csv'].join('/');
}
