/** Units behind a number, and by what a figure in another unit of the same kind is multiplied or divided to become it. */

export interface Unit {
  readonly dimension: string;
  /** In the dimension's base unit; two where usage differs (a kilobyte has 1000 or 1024 bytes). */
  readonly sizes: readonly number[];
  /** What it reads where the base unit reads nought; absent: nought. */
  readonly zero?: number;
}

const KI = 1024;

export const BYTE: Unit = { dimension: 'data', sizes: [1] };
export const SECOND: Unit = { dimension: 'time', sizes: [1] };
export const DAY: Unit = { dimension: 'time', sizes: [86_400] };
const MONEY: Unit = { dimension: 'money', sizes: [1] };

/** Words of more languages: those that change their ends, and those that stand directly behind the digits. */
const more: readonly (readonly [pattern: RegExp, unit: Unit])[] = [
  [/^\s?(?:байт\p{L}*|bajt\p{L}*|bayt|バイト|字节|字節|바이트)/iu, BYTE],
  [/^\s?(?:КБ|кБ|キロバイト|킬로바이트)/u, { dimension: 'data', sizes: [1e3, KI] }],
  [/^\s?(?:МБ|メガバイト|兆字节|메가바이트)/u, { dimension: 'data', sizes: [1e6, KI ** 2] }],
  [/^\s?(?:ГБ|ギガバイト|기가바이트)/u, { dimension: 'data', sizes: [1e9, KI ** 3] }],
  [
    /^\s?(?:мс(?!\p{L})|милли?секунд\p{L}*|milisekund\p{L}*|ミリ秒|毫秒|밀리초)/iu,
    { dimension: 'time', sizes: [0.001] },
  ],
  [/^\s?(?:сек(?:унд\p{L}*)?(?!\p{L})|sekund\p{L}*|saniye|秒|초)/iu, SECOND],
  [
    /^\s?(?:мин(?:ут\p{L}*)?(?!\p{L})|хвилин\p{L}*|minut\p{L}*|dakika|分(?![の之])|분)/iu,
    { dimension: 'time', sizes: [60] },
  ],
  [
    /^\s?(?:час\p{L}*|годин\p{L}*|godzin\p{L}*|hodin\p{L}*|saat|timm\p{L}*|時間|小时|小時|시간)/iu,
    { dimension: 'time', sizes: [3600] },
  ],
  [/^\s?(?:дн(?:я|ей|і|ів)|день|dni|dzień|dny|dní|dias?|gün|日間|天|일간)(?!\p{Script=Latin})/iu, DAY],
  [/^\s?(?:км|公里|千米|キロメートル|킬로미터)(?!\p{Script=Cyrillic})/u, { dimension: 'length', sizes: [1000] }],
  [/^\s?(?:м(?!\p{L})|метр\p{L}*|metr(?:ów|y|ů)|メートル|米|미터)/u, { dimension: 'length', sizes: [1] }],
  [/^\s?(?:кг|公斤|千克|キログラム|킬로그램)/u, { dimension: 'mass', sizes: [1000] }],
  [
    /^\s?(?:градус\p{L}*|stopni\p{L}*|stupň\p{L}*|graus?|derece|grader|degrees?|Grad|grados?|gradi|graden|degrés?|度|도)(?!\p{Script=Latin})/iu,
    { dimension: 'temperature', sizes: [1] },
  ],
  [
    /^\s?(?:руб\p{L}*|₽|zł\p{L}*|PLN|reais|real(?!\p{L})|lira|TL|₺|円|元|원|¥|₩|₴|грив\p{L}*|kronor|kr(?!\p{L})|Kč)/u,
    MONEY,
  ],
];

const units: readonly (readonly [pattern: RegExp, unit: Unit])[] = [
  [/^\s?(?:bytes?|octets?|B)(?![\p{L}/])/u, BYTE],
  [/^\s?(?:[kK]B|kilobytes?|ko|Ko)(?!\p{L})/u, { dimension: 'data', sizes: [1e3, KI] }],
  [/^\s?(?:MB|megabytes?|Mo)(?!\p{L})/u, { dimension: 'data', sizes: [1e6, KI ** 2] }],
  [/^\s?(?:GB|gigabytes?|Go)(?!\p{L})/u, { dimension: 'data', sizes: [1e9, KI ** 3] }],
  [/^\s?(?:TB|terabytes?|To)(?!\p{L})/u, { dimension: 'data', sizes: [1e12, KI ** 4] }],
  [/^\s?K(?:i|ibi)B(?!\p{L})/u, { dimension: 'data', sizes: [KI] }],
  [/^\s?MiB(?!\p{L})/u, { dimension: 'data', sizes: [KI ** 2] }],
  [/^\s?GiB(?!\p{L})/u, { dimension: 'data', sizes: [KI ** 3] }],
  [
    /^\s?(?:ms|milli(?:seconds?|sekunden?|secondes?|segundos?|seconden|secondi))(?!\p{L})/iu,
    { dimension: 'time', sizes: [0.001] },
  ],
  [
    /^\s?(?:s|secs?|seconds?|sekunden?|secondes?|segundos?|seconden|second[oi])(?!\p{L})/iu,
    { dimension: 'time', sizes: [1] },
  ],
  [/^\s?(?:mins?|minutes?|minuten?|minutos?|minuut|minut[io])(?!\p{L})/iu, { dimension: 'time', sizes: [60] }],
  [/^\s?(?:h|hrs?|hours?|stunden?|heures?|horas?|uur|uren|or[ae])(?!\p{L})/iu, { dimension: 'time', sizes: [3600] }],
  [/^\s?(?:days?|tage?n?|jours?|días?|dagen|dag|giorn[oi])(?!\p{L})/iu, DAY],
  [/^\s?(?:weeks?|wochen?|semaines?|semanas?|weken|settiman[ae])(?!\p{L})/iu, { dimension: 'time', sizes: [604_800] }],
  [/^\s?(?:km\/h|kmh|kph)(?!\p{L})/u, { dimension: 'speed', sizes: [1 / 3.6] }],
  [/^\s?(?:mph|mi\/h)(?!\p{L})/u, { dimension: 'speed', sizes: [0.447_04] }],
  [/^\s?m\/s(?!\p{L})/u, { dimension: 'speed', sizes: [1] }],
  [/^\s?(?:ha|hectares?|[Hh]ektar|hectáreas?|ettari)(?!\p{L})/u, { dimension: 'area', sizes: [10_000] }],
  [/^\s?acres?(?!\p{L})/u, { dimension: 'area', sizes: [4046.856_422_4] }],
  [/^\s?(?:km²|km2|sq\.? ?km)(?!\p{L})/u, { dimension: 'area', sizes: [1e6] }],
  [/^\s?(?:m²|m2|qm|sq\.? ?m)(?!\p{L})/u, { dimension: 'area', sizes: [1] }],
  [
    /^\s?(?:m³|m3|cbm|cubic met(?:er|re)s?|Kubikmetern?|mètres? cubes?|metros? cúbicos?|kubieke meters?|metr[io] cub[io])(?!\p{L})/iu,
    { dimension: 'volume', sizes: [1000] },
  ],
  [
    /^\s?(?:square met(?:er|re)s?|Quadratmetern?|mètres? carrés?|metros? cuadrados?|metros? quadrados?|vierkante meters?|metr[io] quadr(?:o|i|ato|ati))(?!\p{L})/iu,
    { dimension: 'area', sizes: [1] },
  ],
  [
    /^\s?(?:square (?:feet|foot)|sq\.? ?ft|ft²|Quadratfuß|pieds? carrés?|pies cuadrados)(?!\p{L})/iu,
    { dimension: 'area', sizes: [0.092_903_04] },
  ],
  [
    /^\s?(?:square kilomet(?:er|re)s?|Quadratkilometern?|kilomètres? carrés?|kilómetros? cuadrados?|chilometr[io] quadr(?:o|i|ato|ati))(?!\p{L})/iu,
    { dimension: 'area', sizes: [1e6] },
  ],
  [/^\s?square miles?(?!\p{L})/iu, { dimension: 'area', sizes: [2_589_988.110_336] }],
  [/^\s?(?:hl|hectolit(?:er|re)s?|Hektoliter)(?!\p{L})/u, { dimension: 'volume', sizes: [100] }],
  [/^\s?(?:cl|centilit(?:er|re)s?|Zentiliter)(?!\p{L})/u, { dimension: 'volume', sizes: [0.01] }],
  [/^\s?(?:inch|inches|Zoll|pouces?|pulgadas?|pollici)(?!\p{L})/u, { dimension: 'length', sizes: [0.0254] }],
  [/^\s?(?:ft|feet|foot|Fuß|pieds?|pies|piedi)(?!\p{L})/u, { dimension: 'length', sizes: [0.3048] }],
  [/^\s?(?:yd|yards?)(?!\p{L})/u, { dimension: 'length', sizes: [0.9144] }],
  [/^\s?mm(?!\p{L})/u, { dimension: 'length', sizes: [0.001] }],
  [/^\s?cm(?!\p{L})/u, { dimension: 'length', sizes: [0.01] }],
  [/^\s?(?:m|met(?:er|re)s?|mètres?|metros?|metri)(?!\p{L})/u, { dimension: 'length', sizes: [1] }],
  [
    /^\s?(?:km|[Kk]ilomet(?:er|re)s?|kilomètres?|kilómetros?|chilometri)(?!\p{L})/u,
    { dimension: 'length', sizes: [1000] },
  ],
  [/^\s?(?:mi|miles?|[Mm]eilen?|milles)(?!\p{L})/u, { dimension: 'length', sizes: [1609.344] }],
  [/^\s?(?:lbs?|pounds?|livres|libras?|libbre)(?!\p{L})/u, { dimension: 'mass', sizes: [453.592_37] }],
  [/^\s?(?:oz|ounces?|Unzen?|onces?|onzas?|once)(?!\p{L})/u, { dimension: 'mass', sizes: [28.349_523_125] }],
  [/^\s?mg(?!\p{L})/u, { dimension: 'mass', sizes: [0.001] }],
  [/^\s?(?:g|gram(?:me?)?s?|[Gg]ramm|gramos?|grammi)(?!\p{L})/u, { dimension: 'mass', sizes: [1] }],
  [/^\s?(?:kg|[Kk]ilos?(?:gram(?:me?)?s?)?|[Kk]ilogramm)(?!\p{L})/u, { dimension: 'mass', sizes: [1000] }],
  [/^\s?(?:t|tons?|tonnes?|[Tt]onnen?|toneladas?|ton|tonnellate)(?!\p{L})/u, { dimension: 'mass', sizes: [1e6] }],
  [/^\s?(?:cents?|ct|céntimos?|centimes?|centesimi)(?!\p{L})/iu, { dimension: 'money', sizes: [0.01] }],
  [/^\s?(?:€|\$|£|EUR|USD|GBP|CHF|euros?|dollars?|francs?|Franken|dólares)(?!\p{L})/u, MONEY],
  [/^\s?(?:gal|gallons?|Gallonen?)(?!\p{L})/u, { dimension: 'volume', sizes: [3.785_411_784, 4.546_09] }],
  [/^\s?(?:° ?C|℃|degrees? (?:C|Celsius)|Grad Celsius|Celsius)(?!\p{L})/u, { dimension: 'temperature', sizes: [1] }],
  [
    /^\s?(?:° ?F|℉|degrees? (?:F|Fahrenheit)|Grad Fahrenheit|Fahrenheit)(?!\p{L})/u,
    { dimension: 'temperature', sizes: [5 / 9], zero: 32 },
  ],
  [/^\s?(?:K|Kelvin)(?!\p{L})/u, { dimension: 'temperature', sizes: [1], zero: 273.15 }],
  [/^\s?(?:ml|mL)(?!\p{L})/u, { dimension: 'volume', sizes: [0.001] }],
  [/^\s?(?:l|L|lit(?:er|re)s?|litros?|litri)(?!\p{L})/u, { dimension: 'volume', sizes: [1] }],
];

/** @param before  the text before the number: `€19.99` */
export function currencyIn(before: string): Unit | undefined {
  return /[€$£]\s?$/u.test(before) ? MONEY : undefined;
}

/** Symbols that are told with the prefixes of the SI. */
const SYMBOL = /^\s?([mkMGT]?)(Wh|W|VA|V|Hz|J|Pa|cal|bps|bit\/s)(?![\p{L}/])/u;
const PREFIXES: ReadonlyMap<string, number> = new Map([
  ['m', 0.001],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
]);

const all = [...units, ...more];

/** Whatever a unit begins with: most numbers of an output have none behind them, and cost no further look. */
const BEGINNING = /^\s?[\p{L}\p{Sc}°℃℉]/u;

/** @param after  the text after the number */
export function unitIn(after: string): Unit | undefined {
  if (!BEGINNING.test(after)) return undefined;
  const own = all.find(([pattern]) => pattern.test(after))?.[1];
  const [, prefix, dimension] = own === undefined ? (SYMBOL.exec(after) ?? []) : [];
  if (prefix === undefined || dimension === undefined) return own;
  return { dimension, sizes: [PREFIXES.get(prefix) ?? 1] };
}

/** A value of one unit in another of the same dimension; several if usage differs, none if nothing changes. */
export function convertedTo(value: number, from: Unit, to: Unit): readonly number[] {
  if (from.dimension !== to.dimension) return [];
  const pairs = from.sizes.flatMap((own, at) =>
    to.sizes.flatMap((other, place) => (isSameUsage(from, to, at === place) ? [[own, other] as const] : [])),
  );
  return pairs.flatMap(([own, other]) =>
    own === other && from.zero === to.zero ? [] : [((value - (from.zero ?? 0)) * own) / other + (to.zero ?? 0)],
  );
}

/** A kilobyte of 1000 bytes has no megabyte of 1024². */
function isSameUsage(from: Unit, to: Unit, isSamePlace: boolean): boolean {
  return isSamePlace || from.sizes.length === 1 || to.sizes.length === 1;
}

/** Factors from the unit to the others of its dimension, each once, without 1: for a figure that is shown without any unit. */
export function factorsOf({ dimension, sizes }: Unit): readonly number[] {
  const others = units.flatMap(([, it]) => (it.dimension === dimension ? it.sizes : []));
  const factors = new Set(sizes.flatMap((size) => others.map((other) => size / other)));
  factors.delete(1);
  return [...factors].filter((it) => dimension !== 'data' || isPowerOf(1000, it) || isPowerOf(KI, it));
}

/** Of 1 and more: no one tells bytes where kilobytes were shown. */
function isPowerOf(base: number, value: number): boolean {
  const exponent = Math.log(value) / Math.log(base);
  return exponent > 0 && Math.abs(exponent - Math.round(exponent)) < 1e-9;
}
