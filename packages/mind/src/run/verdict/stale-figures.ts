/**
 * Figures that a result tells of a file, and that only calls show which looked at it before the run changed it. Where the Task asks for
 * the figure after the change, they are those of another file.
 *
 * Source: artoo A.6 (a stale file may be there), A.15 (Law 0).
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import type { RunTrace } from './acts.ts';
import { CHANGES, isChangeWished } from './change-wishes.ts';
import { sentencesOf } from './content-words.ts';
import type { ClaimAccount, UnsupportedClaim } from './fabrication.ts';
import { fileHistory, type FileHistory } from './file-history.ts';
import { subjectsIn } from './file-relations.ts';
import { knownTexts } from './known-texts.ts';
import { pathsOf } from './relation-decisions.ts';
import { shownByCall, showsPath } from './shown-by-call.ts';
import { claimsOf } from './unsupported.ts';

export interface StaleQuestion {
  readonly output: string;
  readonly calls: readonly ToolCallRecord[];
  readonly trace: RunTrace;
  readonly wishes: readonly string[];
  readonly criteria: readonly string[];
  readonly given: readonly string[];
  readonly known: KnownTools;
}

const EARLIER =
  /(?<!\p{L})(?:before|prior|previous\p{L}*|originally?|formerly|was|were|had|from|instead of|removed|deleted|dropped|replaced|changed|vorher|zuvor|ursprünglich|war|waren|hatte|von|statt|entfernt|gelöscht|avant|était|avait|supprimée?s?|antes|había|era|tenía|eliminad[oa]s?|quitad[oa]s?|voorheen|eerst|was|verwijderd|prima|rimoss[oaie])(?!\p{L})|→|->/iu;
const LATER =
  /(?<!\p{L})(?:now|then|after(?:wards)?|current\p{L}*|corrected|new|updated|remain\p{L}*|left|resulting|cleaned|stripped|jetzt|nun|dann|danach|nachher|aktuell\p{L}*|neue[nrsm]?|bereinigt\p{L}*|korrigiert\p{L}*|verbleib\p{L}*|übrig|maintenant|après|ensuite|actuel\p{L}*|nouve\p{L}*|corrigée?s?|reste\p{L}*|restant\p{L}*|ahora|después|luego|actual\p{L}*|nuev\p{L}*|corregid\p{L}*|quedan?|restantes?|nu|daarna|huidige|nieuwe|overgebleven|ora|adesso|dopo|poi|attuale|nuov\p{L}*|rimast\p{L}*)(?!\p{L})/iu;
const TELLS =
  /(?<!\p{L})(?:say|tell|report|give|name|state|count|how (?:many|much)|nenne?|sage?|gib|zähle?|wie ?viele?|dis|dites|donne|indique|compte|combien|di|indica|cuenta|cuánt\p{L}*|noem|zeg|geef|tel|hoeveel|dimmi|conta|quant\p{L}*)(?!\p{L})/iu;

/** Of the calls of one attempt. */
export function staleClaims(question: StaleQuestion): readonly UnsupportedClaim[] {
  const { output, calls, trace, given, known, criteria, wishes } = question;
  if (!isAskedAfter(criteria, wishes)) return [];
  const history = fileHistory(trace, known);
  const changed = changedFiles(question, history);
  const outdated = new Set(calls.filter((it) => isOutdated(it, changed, { question, history })).map((it) => it.callId));
  if (outdated.size === 0) return [];
  const texts = knownTexts(history, known);
  const contents = changed.flatMap((path) => texts.of(path, history.newestOf(path)) ?? []);
  const fresh = calls.filter((it) => !outdated.has(it.callId));
  const only = (told: readonly string[]): readonly UnsupportedClaim[] => {
    const shown = openIn(claimsOf(output, calls, told)).map((it) => it.start);
    return openIn(claimsOf(output, fresh, [...told, ...contents])).filter(
      (it) => !shown.includes(it.start) && !EARLIER.test(it.sentence),
    );
  };
  const stale = only(given);
  // A figure of the task is no figure of the file, unless it is all that the result tells.
  return stale.length > 0 || claimsOf(output, fresh, contents).shownIn.length > 0 ? stale : only([]);
}

function openIn({ unsupported, remarks }: ClaimAccount): readonly UnsupportedClaim[] {
  return [...unsupported, ...remarks];
}

/** By words for what comes later, or because the change is told first. */
function isAskedAfter(criteria: readonly string[], wishes: readonly string[]): boolean {
  if (criteria.some((it) => EARLIER.test(it) && !LATER.test(it))) return false;
  if (criteria.some((it) => LATER.test(it))) return true;
  return wishes.some((wish) =>
    sentencesOf(wish).some(({ text }) => {
      const [change, tell] = [CHANGES, TELLS].map((it) => text.search(it));
      return (
        change !== undefined && tell !== undefined && change >= 0 && tell > change && !EARLIER.test(text.slice(tell))
      );
    }),
  );
}

/** Files that the texts name, and the run changed as it was asked to. */
function changedFiles({ criteria, wishes }: StaleQuestion, history: FileHistory): readonly string[] {
  const texts = [...criteria, ...wishes];
  const named = texts.flatMap((it) => subjectsIn(it, history.paths));
  const wished = named.filter((it) => it.kind === 'File' && isChangeWished(it.text, texts));
  const paths = wished.flatMap((it) => pathsOf(it, history));
  return [...new Set(paths)].filter((path) => {
    const { at, isThere } = history.newestOf(path);
    return isThere && at >= 0 && history.statesOf(path)[0]?.isThere === true;
  });
}

interface Around {
  readonly question: StaleQuestion;
  readonly history: FileHistory;
}

function isOutdated(call: ToolCallRecord, paths: readonly string[], { question, history }: Around): boolean {
  const at = history.calls.findIndex((it) => it.callId === call.callId);
  const shown = shownByCall(call, question.known);
  return paths.some((path) => at >= 0 && at < history.newestOf(path).at && showsPath(shown, path));
}
