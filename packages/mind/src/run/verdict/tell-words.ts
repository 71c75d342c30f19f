/** Words by which a criterion asks that the reply tells something: "the altitude of the hut is told", "es wird genannt, wie …". */

/** Of the reply, and not of a file: "F gives the total" says what F holds. */
const TOLD =
  /(?<!\p{L})(?:(?:is|are|be|been|was|were|gets?) (?:\p{L}+ )?(?:told|said|stated|given|named|reported|mentioned|answered|listed|indicated|identified|quoted|specified|provided|in the (?:answer|reply|response|result))|(?:answer|reply|response|result|quotation|message) (?:\p{L}+ )?(?:tells|says|states|gives|names|reports|mentions|lists|contains|has|includes)|tells?(?: me)?(?=\s(?:what|how|which|when|where|who|whether))|(?:ge|be)nannt|angegeben|gesagt|mitgeteilt|erwähnt|beantwortet|aufgeführt|(?:est|sont) (?:bien )?(?:indiqué|donné|mentionné|cité|précisé|annoncé|nommé|dite?s?(?!\p{L}))\p{L}*|(?:réponse|respuesta|risposta|resposta|antwort|antwoord) (?:indique|donne|dit|mentionne|précise|indica|da|dice|menciona|fornisce|riporta|contiene|nennt|sagt|enthält|noemt|geeft|bevat)|(?:se|si) (?:indican?|dan?|dicen?|dice|mencionan?|informa|nombran?|menziona|riportan?o?)(?!\p{L})|(?:está|están|es|son) (?:indicad|dad|dich|mencionad|nombrad)[oa]s?|(?:è|sono|viene|vengono) (?:stat[oaie] )?(?:indicat|dat|dett|menzionat|riportat|nominat|fornit)[oaie]|(?:is|zijn|wordt|worden) (?:\p{L}+ )?(?:genoemd|vermeld|gegeven|gezegd|aangegeven|gemeld)|(?:é|são|foi|está) (?:indicad|dad|dit|informad|mencionad|referid)[oa]s?|указан|назван|сказан|сообщ|привед|вказан|наведен|podan[oyae]|wskazan|wymienion|uveden|řečen|belirtil|söylen|(?:anges|nämns|sägs|oppgis|nevnes|kerrotaan|mainitaan)(?!\p{L}))|示され|述べ|報告され|書かれ|答え|記載|明記|回答|伝え|告げ|给出|說明|说明|指出|报告|列出|告诉|回答|알려|말하|말한|제시|보고|언급|답한/iu;

const QUESTION =
  /[?？]\s*$|^(?:what|how|which|when|who|where|wie|was|welche[rs]?|wann|wo|quel(?:le)?s?|combien|quand|où|qué|cuánt[oa]s?|cuándo|dónde|hoe|wat|welke?|wanneer|quant[oaie]|quale|quando)(?!\p{L})/iu;

export function asksToTell(criterion: string): boolean {
  return TOLD.test(criterion) || QUESTION.test(criterion);
}
