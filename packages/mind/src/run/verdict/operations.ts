/** Operations by which code makes one figure from others, and the words that tell a reader which one was meant. */
import type { Figure } from './evidence-figures.ts';

export type Operation =
  | 'Sum'
  | 'Mean'
  | 'Median'
  | 'Maximum'
  | 'Minimum'
  | 'Difference'
  | 'Count'
  | 'Product'
  | 'Quotient'
  | 'Share'
  | 'Change'
  | 'Conversion'
  | 'Itself';

/** English, German, French, Spanish, Dutch, Italian. Words that begin a word of the sentence. */
const words: readonly (readonly [pattern: RegExp, operations: readonly Operation[]])[] = [
  [
    /(?<!\p{L})(?:sum(?!mary)|total|altogether|together|combined|overall|gesamt|insgesamt|zusammen|somm|ensemble|suma|conjunto|som(?!\p{L})|totaal|samen|opgeteld|complessiv|adds? up|\p{L}+summe|\p{L}*gesamt)/iu,
    ['Sum', 'Product'],
  ],
  [
    /(?<!\p{L})(?:average|avg|mean(?!s)|durchschnitt|mittel|schnitt|moyen|medi[ao](?!\p{L})|promedio|gemiddeld|medel|gennemsnit|średni|ortalama)|durchschnitt|[Øø]\s|\\bar(?!\p{L})/iu,
    ['Mean', 'Median', 'Quotient'],
  ],
  [/(?<!\p{L})(?:median|médian|mediaan)/iu, ['Median']],
  [
    /(?<!\p{L})(?:max|highest|largest|biggest|peak|höchst|größt|hoogst|grootst|massim|maggior|plus (?:grand|élevé|haut)|máxim|mayor)/iu,
    ['Maximum'],
  ],
  [
    /(?<!\p{L})(?:min(?:imum|imal|ima|\.)|lowest|smallest|niedrigst|kleinst|laagst|plus (?:petit|bas)|mínim|menor|minor)/iu,
    ['Minimum'],
  ],
  [
    /(?<!\p{L})(?:differen|gap|range|spread|increas|decreas|rose|fell|grew|growth|higher|lower|more|less|fewer|saved|left|remain|unterschied|mehr|weniger|gestiegen|gesunken|gefallen|höher|niedriger|übrig|differenz|différence|écart|hausse|baisse|reste|de plus|de moins|diferencia|aument|disminu|más|menos|quedan|verschil|hoger|lager|meer|minder|stijg|daal|over(?!\p{L})|differenz|in più|in meno|rest)/iu,
    ['Difference', 'Change'],
  ],
  [
    /(?<!\p{L})(?:apart|ahead|adrift|clear of|separat|behind|beats?|beat|outdo|exceed|leads?(?! to)|leading|trail|margin|outnumber|surpass|shr[aiu]nk|sav(?:es|ing)|freed|reduc|drop|(?!rather|other)\p{L}{2,}er (?:than|by)|(?:warm|cold|cool|hott|old|young|long|short|tall|heavi|light|fast|slow|quick|earli|lat|soon|cheap|dear|bigg|larg|small|deep|wid|bett|furth|farth|near|clos)er(?!\p{L})|worse|more expensive|auseinander|voneinander|voraus|vor (?=\p{Lu})|hinter (?=\p{Lu})|vorsprung|rückstand|abstand|führt|übertrifft|spart|\p{L}{3,}er als|(?:plus|moins) \p{L}+ que|devance|distan|sépar|dépass|économis|(?:más|menos) \p{L}+ que|aventaj|ventaja|super[ao]|separ|ahorr|\p{L}{3,}er dan|voorsprong|achterstand|uit elkaar|bespaar|(?:più|meno) \p{L}+ (?:di|che)|vantaggio|risparmi|(?:mais|menos) \p{L}+ (?:do )?que|a (?:mais|menos)|vantagem)/iu,
    ['Difference', 'Change'],
  ],
  [
    /(?<!\p{L})(?:count|rows?|lines?|entr(?:y|ies)|records?|items?|number of|zeilen?|einträge|datens|anzahl|lign|entrée|enregistr|nombre|filas?|líneas?|registros?|entradas?|número|regels?|rijen|aantal|righ[ae]|voci|numero|there (?:are|were)|es gibt|il y a|hay|er zijn|ci sono|different|distinct|verschieden|distinct)/iu,
    ['Count'],
  ],
  [
    /(?<!\p{L})(?:per|each|every|apiece|daily|weekly|monthly|yearly|hourly|averag\p{L}*|an? (?:day|week|month|year|hour|minute|second|head|person|piece|unit|item)|(?:one|a single|an? typical) (?:\p{L}+ )?(?:costs?|takes?|got|had|has|brings?|makes?)|pro|je|jeweils|täglich|stündlich|monatlich|am (?:tag|monat)|im (?:jahr|monat)|die stunde|par|chaque|quotidien\p{L}*|por|cada|al (?:día|mes|año|giorno|mese)|a la semana|diari[oa]s?|elk|ciascun|giornalier[oa]|all['’]ora)(?!\p{L})/iu,
    ['Quotient', 'Product', 'Mean'],
  ],
  [
    /(?<!\p{L})(?:ratio|times|factor|verhältnis|mal|fois|veces|keer|volte|half|double|divided|multiplied)(?!\p{L})/iu,
    ['Quotient', 'Product'],
  ],
];

/** The same in languages whose words change their ends, and in those that separate no words. */
const moreWords: readonly (readonly [beginnings: string, characters: string, operations: readonly Operation[]])[] = [
  [
    String.raw`сумм|суму|сума|итог|всего|всього|разом|вместе|sum[aęyie](?!\p{L})|razem|łącz|celk|součet|dohromady|toplam|summa(?!r)|sammanlagt|tillsammans|yhteensä|soma`,
    '合計|総|計|总|總|共|合计|합계|총|모두',
    ['Sum', 'Product'],
  ],
  [
    String.raw`средн|серед|średni|przecięt|průměr|ortalama|genomsnitt|medel|gjennomsnitt|keskiarvo|keskim|médi[ao](?!\p{L})`,
    '平均|均|평균',
    ['Mean', 'Median', 'Quotient'],
  ],
  ['медиан', '中央値|中位数|중앙값', ['Median']],
  [
    String.raw`максим|наибольш|найбільш|maksym|najwięk|největš|nejvyšš|en (?:yüksek|büyük)|högst|störst|suurin|maior`,
    '最大|最高|最多|최대|최고',
    ['Maximum'],
  ],
  [
    String.raw`миним|наименьш|найменш|najmniejsz|nejniž|nejmenš|en (?:düşük|küçük)|lägst|minst|pienin`,
    '最小|最低|最少|최소|최저',
    ['Minimum'],
  ],
  [
    String.raw`разниц|різниц|на (?=\d)|больше|меньше|тепл|холодн|выше|ниже|старш|младш|дольше|дорож|дешев|быстр|вырос|снизил|різн|różnic|więcej|mniej|ciepl|zimn|wyż|niż|młodsz|droż|tań|wzros|spad|rozdíl|více|méně|teplej|fark|daha|fazla|eksik|arttı|azaldı|skillnad|mer(?!\p{L})|mindre|varmare|äldre|diferença`,
    '差|より|多|少|高|低|暖|寒|大き|小さ|長|短|年上|年下|増|減|相距|比|增|减|차이|더|높|낮|많|적|증가|감소',
    ['Difference', 'Change'],
  ],
  [
    String.raw`количеств|числ[оа]|кількіст|liczb|liczy|počet|sayı|adet(?!\p{L})|tane(?!\p{L})|antal|määrä|lukumäärä|quantidade`,
    '数|件|個|人|多少|几|개수|수|명|건',
    ['Count'],
  ],
  [
    String.raw`(?:в|за|на) (?:день|час|минуту|секунду|месяц|неделю|год|каждого|человека)|кажд|ежедневн|кожн|на день|dziennie|na (?:dzień|osobę|godzinę)|każd|denně|každ|günde|günlük|her (?:gün|biri)|başına|varje`,
    '1日|一日|あたり|当たり|ごと|毎|每|日均|人均|당|마다|하루',
    ['Quotient', 'Product', 'Mean'],
  ],
];

const named = [
  ...words,
  ...moreWords.map(
    ([beginnings, characters, operations]) =>
      [new RegExp(`(?<!\\p{L})(?:${beginnings})|${characters}`, 'iu'), operations] as const,
  ),
];

/** `1,234 over 12 days` */
const SPREAD =
  /\d[^.;:]{0,24}?\s(?:over|across|among|by|in|for|auf|für|in|sur|en|pour|entre|por|su|per|za|в|за|w)\s(?:\p{L}+\s){0,2}\d/iu;

/** `97 years between them`; alone it says nothing of an operation. */
const BETWEEN = /(?<!\p{L})(?:between|zwischen|entre|tussen|tra|fra|między|между)(?!\p{L})/iu;

/** Undefined where the sentence names none: then any may have been meant. */
export function operationsIn(sentence: string): ReadonlySet<Operation> | undefined {
  const meant = named.flatMap(([pattern, operations]) => (pattern.test(sentence) ? operations : []));
  if (meant.length === 0) return undefined;
  const spread = SPREAD.test(sentence) ? (['Quotient'] as const) : [];
  return new Set([...meant, ...spread, ...(BETWEEN.test(sentence) ? (['Difference'] as const) : [])]);
}

export interface Candidate {
  readonly operation: Operation;
  readonly value: number;
  readonly text: string;
  readonly from: readonly string[];
}

/** Of one list: what a reader may compute of a whole column. */
export function aggregatesOf(name: string, values: readonly number[], from: string): readonly Candidate[] {
  const sorted = values.toSorted((a, b) => a - b);
  const [least = 0] = sorted;
  const most = sorted.at(-1) ?? 0;
  const sum = values.reduce((total, it) => total + it, 0);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
  const of = `of ${values.length} ${name}`;
  return [
    { operation: 'Sum', value: sum, text: `sum ${of}`, from: [from] },
    { operation: 'Mean', value: sum / values.length, text: `mean ${of}`, from: [from] },
    { operation: 'Median', value: median, text: `median ${of}`, from: [from] },
    { operation: 'Maximum', value: most, text: `maximum ${of}`, from: [from] },
    { operation: 'Minimum', value: least, text: `minimum ${of}`, from: [from] },
    { operation: 'Difference', value: most - least, text: `range ${of}`, from: [from] },
    { operation: 'Count', value: values.length, text: `count ${of}`, from: [from] },
  ];
}

/** @param isPercent  whether a percentage is looked for: then only shares, changes, and sums of percentages make sense */
export function pairsOf(a: Figure, b: Figure, isPercent: boolean): readonly Candidate[] {
  const [big, small] = Math.abs(a.value) >= Math.abs(b.value) ? [a, b] : [b, a];
  const from = (one: Figure, other: Figure): readonly string[] => [one.from, other.from];
  const sum = { operation: 'Sum', value: a.value + b.value, text: `${a.text} + ${b.text}`, from: from(a, b) } as const;
  const gap = big.value - small.value;
  const difference = {
    operation: 'Difference',
    value: gap,
    text: `${big.text} - ${small.text}`,
    from: from(big, small),
  } as const;
  if (isPercent) return [...(a.isPercent && b.isPercent ? [sum, difference] : shares(big, small))];
  const product = a.value * b.value;
  return [
    sum,
    difference,
    { operation: 'Product', value: product, text: `${a.text} × ${b.text}`, from: from(a, b) },
    ...percentagesOf(a, b),
    ...quotients(big, small),
  ];
}

/** `19% of 250`, and 250 with 19% more or less. */
function percentagesOf(a: Figure, b: Figure): readonly Candidate[] {
  if (a.isPercent === b.isPercent) return [];
  const [rate, base] = a.isPercent ? [a, b] : [b, a];
  const part = (rate.value * base.value) / 100;
  const from = [base.from, rate.from];
  return [
    { operation: 'Product', value: part, text: `${base.text} × ${rate.text} / 100`, from },
    { operation: 'Sum', value: base.value + part, text: `${base.text} × (100 + ${rate.text}) / 100`, from },
    { operation: 'Difference', value: base.value - part, text: `${base.text} × (100 - ${rate.text}) / 100`, from },
  ];
}

function shares(big: Figure, small: Figure): readonly Candidate[] {
  if (small.value === 0 || big.value === 0) return [];
  const gap = big.value - small.value;
  const named = (operation: Operation, value: number, text: string): Candidate => ({
    operation,
    value,
    text,
    from: [big.from, small.from],
  });
  return [
    named('Share', (small.value / big.value) * 100, `${small.text} / ${big.text} × 100`),
    named('Change', (gap / big.value) * 100, `(${big.text} - ${small.text}) / ${big.text} × 100`),
    named('Change', (gap / small.value) * 100, `(${big.text} - ${small.text}) / ${small.text} × 100`),
  ];
}

function quotients(big: Figure, small: Figure): readonly Candidate[] {
  if (small.value === 0 || big.value === 0) return [];
  return [
    {
      operation: 'Quotient',
      value: big.value / small.value,
      text: `${big.text} / ${small.text}`,
      from: [big.from, small.from],
    },
    {
      operation: 'Quotient',
      value: small.value / big.value,
      text: `${small.text} / ${big.text}`,
      from: [small.from, big.from],
    },
  ];
}
