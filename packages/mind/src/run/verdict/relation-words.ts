/**
 * Words by which a criterion says what became of a file, in English, German, French, Spanish, Dutch and Italian. Each is read right
 * behind or right before the name of the file.
 */

/** Any of these words, apart from longer ones. */
const oneOf = (words: string): string => `(?<!\\p{L})(?:${words})(?!\\p{L})`;
/** Words of the same sentence between the file and what is said of it. */
const FEW = String.raw`[^.;:!?\n]{0,50}?`;
const CLOSED = String.raw`^["'\u0060»”’)]*`;
const OPENED = String.raw`\s+(?:(?:the|file|original|source|old|new|die|der|das|den|dem|datei|le|la|les|l['’]|fichier|el|los|archivo|fichero|het|de|bestand|il|lo|del|al|to|à|a|en|in|an|ai)\s+){0,4}["'\u0060«“(]*$`;

const SAME_AS_BEFORE =
  'unchanged|untouched|intact|unmodified|unaltered|unedited|as it (?:was|stood)|as they were|(?:the )?same (?:content )?as (?:before|at the start|it was)|(?:byte[- ])?identical to (?:before|the original(?! \\p{L}))|left alone|preserved|kept as (?:it )?is|keeps? its (?:original )?contents?|has its original contents?|' +
  'unverändert|unberührt|unangetastet|intakt|wie (?:vorher|zuvor|es war|sie war|er war)|(?:gleich|derselbe|dieselbe) geblieben|' +
  'inchangée?s?|intacte?s?|non modifiée?s?|telle?s? quelle?s?|sin (?:cambios|cambiar|tocar|modificar|modificaciones)|intact[oa]s?|inalterad[oa]s?|igual que antes|sigue igual|' +
  'ongewijzigd|onveranderd|onaangeroerd|ongemoeid|hetzelfde gebleven|invariat[oaie]|inalterat[oaie]|intatt[oaie]|immutat[oaie]|come prima';
const NOT_CHANGED =
  '(?:not|never) (?:been |be )?(?:changed|modified|edited|touched|altered|overwritten|rewritten|written to)|' +
  'nicht (?:\\p{L}+ )?(?:geändert|verändert|bearbeitet|angefasst|angerührt|überschrieben|modifiziert)|' +
  "n['’](?:est|a|ont|ai|était) (?:pas|jamais) (?:été )?(?:modifié|changé|touché|altéré)e?s?|" +
  'no (?:se )?(?:ha|han|fue|está|es|cambia|cambió|modifica|modificó)(?: sido)?(?: (?:modificad|cambiad|alterad|tocad|editad)[oa]s?)?|' +
  'niet (?:\\p{L}+ )?(?:gewijzigd|veranderd|aangepast|bewerkt|aangeraakt|overschreven)|' +
  'non (?:è|sono|viene|è stat[oa]|sono stati) ?(?:stat[oa] )?(?:modificat|cambiat|alterat|toccat|sovrascritt)[oaie]';
export const UNCHANGED_AFTER = new RegExp(`${CLOSED}${FEW}${oneOf(`${SAME_AS_BEFORE}|${NOT_CHANGED}`)}`, 'iu');
export const UNCHANGED_BEFORE = new RegExp(
  `${oneOf(
    "without (?:changing|modifying|editing|touching|altering)|(?:do|does|did|must|may|should)(?: not|n['’]t) (?:change|modify|edit|touch|alter)|" +
      'no changes?|nothing (?:is |was |has )?(?:been )?changed|keine (?:änderung(?:en)?|veränderung(?:en)?)|' +
      'sans (?:modifier|changer|toucher)|aucun(?:e)? (?:changement|modification)|sin (?:modificar|cambiar|tocar)|ningún cambio|' +
      'geen (?:wijziging(?:en)?|verandering(?:en)?)|senza (?:modificare|cambiare|toccare)|nessuna modifica',
  )}${OPENED}`,
  'iu',
);
/** The verb stands behind the file: `ohne F zu ändern`, `zonder F te wijzigen`. */
/** `nothing in F was changed` */
export const NOTHING_IN =
  /(?<!\p{L})(?:(?:nothing|nichts|rien|nada|niets|niente)\s+(?:in|an|dans|en|aan|nel)|(?<=^|[.;]\s*)an)\s+(?:(?:the|file|der|datei|le|fichier|el|archivo|het|bestand|il)\s+){0,3}["'`]*$/iu;
export const IS_CHANGED =
  /(?<!\p{L})(?:chang|modif|edit|alter|touch|(?:nichts )?(?:ge|ver)änder|cambi|gewijzigd|veranderd)/iu;
export const UNCHANGED_AROUND = new RegExp(
  `^["'\u0060»”)]*\\s+(?:zu (?:ändern|verändern|bearbeiten|überschreiben)|te (?:wijzigen|veranderen|bewerken))(?!\\p{L})`,
  'iu',
);
/** A part, an exception, a comparison with something else: nothing that the digest of the whole file decides. */
export const ONLY_IN_PART =
  /(?<!\p{L})(?:except|apart from|aside from|besides|other than|but for|save for|since|compared|outside|otherwise|außer|abgesehen|bis auf|ansonsten|seit|sauf|hormis|excepté|depuis|excepto|salvo|aparte de|desde|behalve|uitgezonderd|sinds|tranne|eccetto|a parte|da quando)(?!\p{L})/iu;
/** Between the file and "unchanged": something else is unchanged, or the file is not. */
export const OF_SOMETHING_ELSE =
  /(?<!\p{L})(?:rest|others?|else|remaining|everything|written|updated|edited|created|changed and|extended|übrig\p{L}*|andere\p{L}*|aktualisiert|geschrieben|ergänzt|autres?|le reste|mis à jour|resto|demás|otr[oa]s|actualizad[oa]|overige|bijgewerkt|altr[oaie]|aggiornat[oa])(?!\p{L})/iu;
export const UNCERTAIN =
  /(?<!\p{L})(?:if|whether|unless|should|wenn|falls|ob|sofern|si|als|indien|se)(?!\p{L})[^.;\n]*$/iu;
/** `the header of F`, `the other rows in F`; not `the content of F`. */
export const PART_OF =
  /(?<!\p{L})(?:of|in|from|within|inside|von|aus|des|dans|de|du|en|del|di|nel|della|van|uit|da)\s+(?:the\s+|file\s+|der\s+|datei\s+|le\s+|fichier\s+|archivo\s+|het\s+|bestand\s+|il\s+){0,3}["'`«“]*$/iu;
export const WHOLE_OF =
  /(?<!\p{L})(?:contents?|bytes|text|digest|hash|checksum|sha-?256|inhalt|prüfsumme|contenu|contenido|inhoud|contenuto|changes?|änderung(?:en)?|veränderung(?:en)?|modifications?|changements?|cambios?|wijziging(?:en)?|modifica|copy|backup|rest)\s+(?:\p{L}+\s+){0,3}["'`«“]*$/iu;

const BE =
  '(?:is|was|were|are|be|been|gets?|got|wird|werden|wurden?|ist|sind|war|a|ont|est|sont|été|fue|ha|han|se|sido|está|están|es|werd|werden|is|zijn|è|sono|viene|stat[oaie])';
export const REMOVED_AFTER = new RegExp(
  `${CLOSED}\\s+(?:[^.;:!?\\n]{0,20}?(?<!\\p{L})${BE}\\s+)(?:\\p{L}+\\s+){0,3}?(?<!\\p{L})(?:deleted|removed|erased|purged|gelöscht|entfernt|supprimée?s?|effacée?s?|retirée?s?|eliminad[oa]s?|borrad[oa]s?|suprimid[oa]s?|verwijderd|gewist|eliminat[oaie]|cancellat[oaie]|rimoss[oaie])(?!\\p{L})`,
  'iu',
);
export const REMOVED_BEFORE = new RegExp(
  `${oneOf('delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|eras(?:e|es|ed|ing)|lösch\\p{L}*|entfern\\p{L}*|supprime\\p{L}*|efface\\p{L}*|elimin\\p{L}*|borr(?:a|ar|e)|suprim\\p{L}*|verwijder\\p{L}*|cancell\\p{L}*|rimuov\\p{L}*')}\\s+(?:(?:the|old|file|die|das|den|alte|datei|le|l['’]|fichier|el|los|archivo|het|oude|bestand|il)\\s+){0,3}["'\u0060«“(]*$`,
  'iu',
);
/** Out of something else than the disk: a list, an index, a text. */
export const REMOVED_FROM =
  /^\s+(?:from|out of|aus|von|de la|du|del|uit|van|dal|dalla|da)\s+(?!(?:the |dem |der |l['’]|la |el |de |het |il )?(?:workspace|disk|director|folder|arbeits|verzeichnis|ordner|espace|dossier|répertoire|carpeta|directorio|espacio|werk|map|cartella|spazio))/iu;
export const ABSENT_AFTER = new RegExp(
  `${CLOSED}${FEW}${oneOf(
    "no longer (?:exists?|there|present|stands?|in the workspace|on disk)|(?:does|do|did)(?: not|n['’]t) exist|not exist|(?:is|are)(?: not|n['’]t) (?:there|present|in the workspace)|gone|absent|" +
      'existier(?:t|en) nicht|(?:ist|sind|steht|stehen|liegt) (?:\\p{L}+ )?nicht (?:mehr )?(?:da|dort|vorhanden|im|in)|weg|' +
      "n['’]exist(?:e|ent) (?:plus|pas)|n['’](?:est|sont) plus (?:là|présente?s?|dans|sur)|disparue?s?|ya no (?:existe|está|hay)|no existe|desaparecid[oa]|" +
      "bestaa(?:t|n) niet|(?:is|zijn|staat) (?:er )?niet meer(?: aanwezig| in)?(?= *(?:[.;,]|$|aanwezig|in))|verdwenen|non (?:esiste|c['’]è|è) più|non esiste|sparit[oa]",
  )}`,
  'iu',
);
/** `no F is left`; `F no longer contains` says nothing of the file. */
export const ABSENT_BEFORE =
  /(?:^|[.;,]\s*|(?<!\p{L})(?:is|are|remains?)\s+)(?:no|kein\p{L}*|aucun|ningún|geen|nessun)\s+(?:file\s+|datei\s+|fichier\s+|archivo\s+|bestand\s+)?["'`]?$/iu;
export const ABSENT_OF_TEXT =
  /^["'`)]*[^.;:!?\n]{0,30}?(?:no longer|nicht mehr|ne|n['’]|ya no|niet meer|non)\s*(?:contain|hold|mention|includ|list|show|has|have|need|refer|use|enthält|contient|contiene|bevat)/iu;

export const MOVED_AFTER = new RegExp(
  `${CLOSED}\\s+(?:[^.;:!?\\n]{0,20}?(?<!\\p{L})${BE}\\s+)(?:\\p{L}+\\s+){0,3}?(?<!\\p{L})(?:moved|renamed|verschoben|umbenannt|déplacée?s?|renommée?s?|movid[oa]s?|renombrad[oa]s?|verplaatst|hernoemd|spostat[oaie]|rinominat[oaie])(?!\\p{L})|${CLOSED}\\s+(?:has|have)\\s+(?:now\\s+)?(?:moved|gone)\\s+(?:in)?to(?!\\p{L})`,
  'iu',
);
export const MOVED_BEFORE = new RegExp(
  `${oneOf('mov(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|verschieb\\p{L}*|umbenenn\\p{L}*|benenn\\p{L}*|umbenannt|verschoben|déplac\\p{L}*|renomm\\p{L}*|mueve|mover|renombr\\p{L}*|verplaats\\p{L}*|hernoem\\p{L}*|spost\\p{L}*|rinomin\\p{L}*')}\\s+(?:from\\s+|von\\s+|de\\s+|van\\s+|da\\s+)?(?:(?:the|file|die|der|datei|le|fichier|el|archivo|het|bestand|il)\\s+){0,3}["'\u0060]*$`,
  'iu',
);
export const LEADS_TO =
  /(?<!\p{L})(?:to|into|as|at|under|nach|in|zu|auf|unter|vers|dans|en|à|a|sous|como|naar|tot|op|come|nel|nella|su)\s+(?:(?:the|new|name|file|directory|folder|datei|ordner|fichier|dossier|archivo|carpeta|bestand|map|cartella)\s+){0,3}["'`«“]*$|^\W*(?:->|→|=>)\W*$/iu;

const COPY =
  'copy|copies|duplicate|clone|backup|back-up|kopie|abschrift|sicherung|sicherungskopie|duplikat|copie|sauvegarde|duplicata|copia|respaldo|duplicado|duplicato|reservekopie';
const OF = '(?:of|von|der|de|du|des|van|di|del|della|dell)';
const EQUALS =
  'equals?|equal to|identical (?:to|with)|(?<!(?:does|do|behaves?|works?) )(?:exactly |just )?the same as|same (?:content|contents|bytes|digest|hash|checksum|text) as|mirrors|' +
  'duplicates|(?:holds|has|contains) (?:the |all the )?(?:same |whole |full )?contents? of|(?:holds|contains) (?:the same as|everything (?:that|from|in|of))|gleicht|gleich (?:wie)?|identisch (?:mit|zu)|denselben inhalt wie|identiques? (?:à|au)|égale?s? (?:à|au)|même contenu que|' +
  'idéntic[oa]s? (?:a|al)|igual (?:a|al|que)|mismo contenido que|identiek aan|gelijk aan|dezelfde inhoud als|identic[oaie] (?:a|al)|uguale (?:a|al)|stesso contenuto di';
/** Between the copy and what it is a copy of. */
export const COPY_OF = new RegExp(`${FEW}${oneOf(`${COPY}`)}\\s+${OF}${OPENED}`, 'iu');
export const EQUALS_TO = new RegExp(`${FEW}(?<!\\p{L})(?:${EQUALS})${OPENED}`, 'iu');
/** Looser words, of files of the same form only. */
export const MATCHES_TO = new RegExp(
  `^["'\u0060»”)]*\\s+(?:\\p{L}+\\s+){0,2}?(?:matches|corresponds to|entspricht|stimmt (?:genau )?mit|correspond (?:à|au)|coincide con|komt overeen met|corrisponde a)${OPENED}`,
  'iu',
);
export const ARE_EQUAL = new RegExp(
  `${CLOSED}${FEW}${oneOf('identical|equal|the same|identisch|gleich|denselben inhalt|identiques|égaux|le même contenu|idéntic[oa]s|iguales|el mismo contenido|identiek|gelijk|dezelfde inhoud|identici|uguali|lo stesso contenuto')}`,
  'iu',
);
/** Before the first of two files, with the second behind it: `copy a to b`, `a copy of a stands in b`. */
export const COPIES_BEFORE = new RegExp(
  `(?:${oneOf('cop(?:y|ies|ied|ying)|kopier\\p{L}*|copie[rz]?|copia[rn]?|kopieer\\p{L}*|copiare')}|${oneOf(COPY)}\\s+${OF})(?:${OPENED}|\\s+["'\u0060]?$)`,
  'iu',
);
export const COPIED_AFTER = new RegExp(
  `${CLOSED}\\s+(?:[^.;:!?\\n]{0,20}?(?<!\\p{L})${BE}\\s+)(?:\\p{L}+\\s+){0,3}?(?<!\\p{L})(?:copied|backed up|kopiert|gesichert|copiée?s?|sauvegardée?s?|copiad[oa]s?|respaldad[oa]s?|gekopieerd|copiat[oaie])(?!\\p{L})|^["'\u0060»”)]*\\s+se (?:copió|copiaron|copia)(?!\\p{L})`,
  'iu',
);
/** The verb stands behind the second file: `a wurde in b umbenannt`. */
export const MOVED_AT_END = /^["'`»”)]*\s+(?:umbenannt|verschoben|verplaatst|hernoemd)(?!\p{L})/iu;
export const COPIED_AT_END = /^["'`»”)]*\s+(?:kopiert|gesichert|gekopieerd)(?!\p{L})/iu;
/** Between the old name and the new one. */
export const NOW_IS =
  /^["'`»”)]*\s+(?:(?:is|was|has been|got) (?:now )?(?:called|named|renamed)|is now|became|heißt (?:jetzt|nun)|s['’]appelle(?: maintenant)?|(?:est|a été) renommée?s?|se llama(?: ahora)?|(?:fue|ha sido|está) renombrad[oa]|heet (?:nu|voortaan)|is hernoemd|si chiama(?: ora)?|è (?:stat[oa] )?rinominat[oa])\s+(?:file\s+)?["'`«“]*$/iu;
/** Between the new name and the old one. */
export const WAS_ONCE =
  /^["'`»”)]*\s+(?:is |ist |est |es |is |è )?(?:(?:the |die |das |der )(?:renamed|moved|umbenannte|verschobene)|\(?(?:formerly|previously|früher|ehemals|anciennement|antes|voorheen|in precedenza))\s+(?:file\s+|datei\s+)?["'`«“]*$/iu;
/** A copy of a part, or in another form, has another digest. */
export const NOT_THE_WHOLE =
  /(?<!\p{L})(?:first|last|top|head(?:er)?s?|lines?|rows?|columns?|parts?|excerpt|section|without|sorted|filtered|converted|translated|shape|format|structure|schema|order|length|number|keys|fields|figures?|values?|except|but|minus|plus|after|updated|corrected|erste\p{L}*|letzte\p{L}*|zeilen?|spalten?|teil|ohne|sortiert\p{L}*|premi\p{L}*|derni\p{L}*|lignes?|colonnes?|partie|sans|trié\p{L}*|primer\p{L}*|últim\p{L}*|líneas?|filas?|columnas?|parte|sin|eerste|laatste|regels?|rijen|deel|zonder|prim[aeio]|ultim[aeio]|righe|senza)(?!\p{L})/iu;
