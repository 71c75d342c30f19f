/** Units behind a number, and by what a figure in another unit of the same kind is multiplied or divided to become it. */

interface Unit {
  readonly dimension: string;
  /** In the dimension's base unit; two where usage differs (a kilobyte has 1000 or 1024 bytes). */
  readonly sizes: readonly number[];
}

const KI = 1024;

const units: readonly (readonly [pattern: RegExp, unit: Unit])[] = [
  [/^\s?(?:bytes?|octets?|B)(?![\p{L}/])/u, { dimension: 'data', sizes: [1] }],
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
  [/^\s?(?:days?|tage?n?|jours?|días?|dagen|dag|giorn[oi])(?!\p{L})/iu, { dimension: 'time', sizes: [86_400] }],
  [/^\s?(?:weeks?|wochen?|semaines?|semanas?|weken|settiman[ae])(?!\p{L})/iu, { dimension: 'time', sizes: [604_800] }],
  [/^\s?mm(?!\p{L})/u, { dimension: 'length', sizes: [0.001] }],
  [/^\s?cm(?!\p{L})/u, { dimension: 'length', sizes: [0.01] }],
  [/^\s?(?:m|met(?:er|re)s?|mètres?|metros?|metri)(?!\p{L})/u, { dimension: 'length', sizes: [1] }],
  [
    /^\s?(?:km|[Kk]ilomet(?:er|re)s?|kilomètres?|kilómetros?|chilometri)(?!\p{L})/u,
    { dimension: 'length', sizes: [1000] },
  ],
  [/^\s?(?:mi|miles?|[Mm]eilen?|milles)(?!\p{L})/u, { dimension: 'length', sizes: [1609.344] }],
  [/^\s?mg(?!\p{L})/u, { dimension: 'mass', sizes: [0.001] }],
  [/^\s?(?:g|gram(?:me?)?s?|[Gg]ramm|gramos?|grammi)(?!\p{L})/u, { dimension: 'mass', sizes: [1] }],
  [/^\s?(?:kg|[Kk]ilos?(?:gram(?:me?)?s?)?|[Kk]ilogramm)(?!\p{L})/u, { dimension: 'mass', sizes: [1000] }],
  [/^\s?(?:t|tons?|tonnes?|[Tt]onnen?|toneladas?|ton|tonnellate)(?!\p{L})/u, { dimension: 'mass', sizes: [1e6] }],
  [/^\s?(?:cents?|ct|céntimos?|centimes?|centesimi)(?!\p{L})/iu, { dimension: 'money', sizes: [0.01] }],
  [
    /^\s?(?:€|\$|£|EUR|USD|GBP|CHF|euros?|dollars?|francs?|Franken|dólares)(?!\p{L})/u,
    { dimension: 'money', sizes: [1] },
  ],
  [/^\s?(?:ml|mL)(?!\p{L})/u, { dimension: 'volume', sizes: [0.001] }],
  [/^\s?(?:l|L|lit(?:er|re)s?|litros?|litri)(?!\p{L})/u, { dimension: 'volume', sizes: [1] }],
];

/** @param after  the text after the number */
export function unitIn(after: string): Unit | undefined {
  return units.find(([pattern]) => pattern.test(after))?.[1];
}

/** Factors from the unit to the others of its dimension, each once, without 1; a kilobyte of 1000 has no megabyte of 1024². */
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
