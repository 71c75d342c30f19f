/** Whether the words of a Task ask to change a file that stood there. Generous: a file whose change is wished is not held to what it was. */
import { sentencesOf } from './content-words.ts';

/** Verbs of changing in place, whatever stands between them and the file: `remove the duplicates from F`. */
export const CHANGES =
  /(?<!\p{L})(?:chang|edit|modif|updat|fix|(?<!the |a )correct|replac|remov|delet|drop|clean|sort|dedup|normali[sz]|append|insert|add(?!(?:s|ed|ing)? up)|fill|round|anonymi|rewrit|overwrit|reformat|format|convert|translat|renam|mov|trim|strip|merg|shuffl|truncat|rotat|prun|refactor|extend|adjust|switch|enabl|disabl|set(?!\s+of)|bump|redact|mask|put(?!\p{L})|place(?!\p{L})|prepend|increas|decreas|rais|lower|cut(?!\p{L})|streich|setze?(?!\p{L})|trag|erhöh|senk|tausch|ergänz|änder|bearbeit|aktualisier|korrigier|ersetz|entfern|lösch|bereinig|sortier|anonymisier|überschreib|umbenenn|verschieb|füge|hinzufüg|stelle|chang|corrig|remplac|supprim|retir|enl[eè]v|biff|nettoi|nettoy|tri(?:e|er|ez)|ajout|mets|mettre|renomm|déplac|cambi|actuali|correg|reempla|elimin|borr|quit[ae]|pon(?!\p{L})|sub[ea](?!\p{L})|baj[ae]|limpi|orden|añad|agreg|wijzig|verander|pas\s|bijwerk|corriger|vervang|verwijder|haal|zet(?!\p{L})|schrap|schoon|sorteer|voeg|hernoem|verplaats|modific|aggiorn|corregg|sostitui|rimuov|togli|metti|cancell|puli|ordin|aggiung)/iu;
/** Verbs of writing need the file as their end: `write the total to F`. */
const WRITES =
  /(?<!\p{L})(?:writ|sav|stor|put|record|cop|creat|mak|generat|produc|export|schreib|speicher|erstell|erzeug|kopier|écri|enregistr|cré|copi|escrib|guard|crea|schrijf|bewaar|opsla|maak|scriv|salv)\p{L}*[^.;!?\n]*?(?<!\p{L})(?:to|into|in|as|at|onto|over|nach|als|auf|dans|en|sous|como|a|naar|op|nel|come|su)\s+(?:\p{L}+\s+){0,3}["'`«“]*$/iu;
const WRITES_AT_ONCE =
  /(?<!\p{L})(?:writ|creat|mak|generat|produc|schreib|erstell|erzeug|écri|cré|escrib|crea|schrijf|maak|scriv)\p{L}*\s+(?:\p{L}+\s+){0,3}["'`«“]*$/iu;
const CHANGED_BEHIND =
  /^["'`»”)]*\s+(?:\p{L}+\s+){0,3}?(?:updated|changed|edited|sorted|corrected|rewritten|overwritten|cleaned|in place|aktualisiert|geändert|sortiert|bereinigt|korrigiert|mis à jour|modifié|trié|actualizado|modificado|ordenado|bijgewerkt|gewijzigd|gesorteerd|aggiornato|modificato|ordinato)/iu;

/** Verbs of moving: what a file holds stays as it is. */
const MOVES =
  /(?<!\p{L})(?:renam|mov(?!ie)|umbenenn|benenn|verschieb|renomm|déplac|renombr|muev|mover|hernoem|verplaats|rinomin|spost)\p{L}*/giu;

/** Whether more is asked for than another name or place. */
export function isEditWished(file: string, texts: readonly string[]): boolean {
  return isChangeWished(
    file,
    texts.map((it) => it.replaceAll(MOVES, '')),
  );
}

/** @param file  as a text names it  @param texts  intents and criteria */
export function isChangeWished(file: string, texts: readonly string[]): boolean {
  return texts.some((text) => sentencesOf(text).some((it) => isWishedIn(it.text, file)));
}

function isWishedIn(sentence: string, file: string): boolean {
  for (let at = sentence.indexOf(file); at >= 0; at = sentence.indexOf(file, at + 1)) {
    const before = sentence.slice(0, at);
    const behind = sentence.slice(at + file.length);
    const isDenied =
      /(?<!\p{L})(?:not|never|without|n['’]t|nicht|ohne|sans|pas|sin|no|niet|zonder|non|senza)\s(?:\p{L}+\s){0,4}["'`]?$/iu.test(
        before,
      );
    if (isDenied) continue;
    if (CHANGES.test(before) || WRITES.test(before) || WRITES_AT_ONCE.test(before) || isChangedBehind(behind))
      return true;
  }
  return false;
}

function isChangedBehind(behind: string): boolean {
  const said = CHANGED_BEHIND.exec(behind)?.[0];
  return said !== undefined && !/(?<!\p{L})(?:not|never|nicht|pas|no|niet|non)(?!\p{L})/iu.test(said);
}
