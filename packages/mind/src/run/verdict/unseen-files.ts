/**
 * What a criterion says of a file that no call looked into, and what a program does that was changed after it ran.
 *
 * Source: artoo A.6 (evidence grounding).
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { PROGRAM } from './file-holds.ts';
import type { FileHistory } from './file-history.ts';
import type { Subject } from './file-relations.ts';
import { positionOf, type Looks } from './held-decisions.ts';
import { operationsIn } from './operations.ts';
import { pathsOf, type Decision } from './relation-decisions.ts';
import { scriptIn } from './script-words.ts';
import type { ShownByCall } from './shown-by-call.ts';

/** Any verb but those that say that a file is there, or was made. */
const SAYS_SOMETHING =
  /^["'`»”)]*\s+(?!(?:is|are|was|were|be|been|has been|have been|exists?|stands?|wird|werden|wurden?|ist|sind|existier(?:t|en)|liegt|steht|est|sont|a été|ont été|existe[n]?|fue|fueron|está|están|ha sido|es|son|se|wordt|worden|werd|bestaa(?:t|n)|è|sono|viene|esiste|and|und|et|y|e|en|or|oder|ou|o|to|in|into|from|with|as|by|of|on|at|for|zu|nach|als|dans|vers|a|come|naar)(?!\p{L}))\p{L}+/iu;

/** Whether the content of a file that the run made is what the criterion speaks of, and nothing in the record shows it. */
export function isUnseen(text: string, file: Subject, looks: Looks): boolean {
  if (!SAYS_SOMETHING.test(text.slice(file.end))) return false;
  const paths = pathsOf(file, looks.history);
  return paths.length > 0 && paths.every((path) => isUnseenPath(path, looks));
}

function isUnseenPath(path: string, looks: Looks): boolean {
  const { history, texts } = looks;
  const state = history.newestOf(path);
  if (!state.isThere || state.at < 0 || texts.of(path, state) !== undefined) return false;
  return !looks.shown.some((it) => positionOf(it, looks) >= state.at && it.kind !== 'Lists' && isNamedIn(it, path));
}

/** In its arguments: a program in a file that wrote another does not say so, and the list of a directory shows no content. */
function isNamedIn({ call }: ShownByCall, path: string): boolean {
  const name = path.split('/').at(-1) ?? path;
  return call.target === path || (scriptIn(call) ?? call.input).includes(name);
}

const RUNS =
  /(?<!\p{L})(?:running|runs?|executing|executes?|executed|prints?|outputs?|exits?|passes|succeeds|works|compiles|ausführ\p{L}*|ausgeführt|läuft|druckt|ausgibt|affiche|exécut\p{L}*|imprime|ejecut\p{L}*|drukt|uitgevoerd|uitvoer\p{L}*|stampa|esegu\p{L}*)(?!\p{L})|(?<!\p{L})gibt(?!\p{L})[^.;]*(?<!\p{L})aus(?!\p{L})/iu;

/** Of a program whose doing the criterion tells: it ran, and was changed afterwards. */
export function ranBefore(text: string, file: Subject, { history, shown, positions }: Looks): Decision | undefined {
  const [path] = pathsOf(file, history);
  if (path === undefined || !PROGRAM.test(path) || !RUNS.test(text.replaceAll(file.text, ' '))) return undefined;
  const changed = history.newestOf(path).at;
  const runs = shown
    .filter((it) => it.kind === 'Acts' && isRunOf(it.call, path))
    .map((it) => positions.get(it.call.callId) ?? -1);
  const writes = shown.filter((it) => it.files.includes(path)).map((it) => positions.get(it.call.callId) ?? -1);
  const real = runs.filter((it) => it >= changed || !writes.includes(it) || runs.length === 1);
  if (changed < 0 || real.length === 0 || real.some((it) => it >= changed)) return undefined;
  return {
    kind: 'Missing',
    reason: `${file.text} was changed after it ran`,
    fix: `Run ${file.text} as it is now.`,
  };
}

function isRunOf(call: ToolCallRecord, path: string): boolean {
  const script = scriptIn(call) ?? '';
  return script.includes(path.split('/').at(-1) ?? path);
}

const BEFORE =
  /(?<!\p{L})(?:before|prior|previous|original|old|former|vorher|zuvor|ursprünglich|alte[nrs]?|avant|ancien|antes|anterior|vorig|prima|precedente)/iu;

/** `A holds the total of B`: A was written, and B was changed afterwards. */
export function madeTooEarly(text: string, subjects: readonly Subject[], { history }: Looks): Decision | undefined {
  const [file, source, other] = subjects;
  if (file === undefined || source === undefined || other !== undefined) return undefined;
  const between = text.slice(file.end, source.start);
  const isOf = /(?<!\p{L})(?:of|in|from|von|aus|der|de|du|des|del|van|uit|di|della|dal)\s+["'`]?$/iu.test(between);
  if (!isOf || operationsIn(between) === undefined || BEFORE.test(text)) return undefined;
  if (!isOlder(file, source, history)) return undefined;
  return {
    kind: 'Missing',
    reason: `${source.text} was changed after ${file.text} was made from it`,
    fix: `Make ${file.text} from ${source.text} as it is now.`,
  };
}

/** Both were written by the run, the second one after the first. */
function isOlder(file: Subject, source: Subject, history: FileHistory): boolean {
  const [made, changed] = [file, source].map((it) => pathsOf(it, history).map((path) => history.newestOf(path))[0]);
  return made?.isThere === true && changed?.isThere === true && made.at >= 0 && changed.at > made.at;
}
