/**
 * What is told of a file without reading it: its size, its dates, its permissions, what kind of file it is. A criterion that asks for
 * one of these is answered by a command that shows it, such as `stat` or `ls -l`, although that command reads nothing of the file.
 *
 * Source: artoo A.6. Differs: the source counts a later `stat` as proof of nothing.
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { bashIn } from './command-kind.ts';

type Attribute = 'Presence' | 'Size' | 'Time' | 'Mode' | 'Owner' | 'Kind' | 'Format' | 'Link';

/** The place of a file's name. */
const F = '\u0001';

/** Words by which criteria ask for an attribute, in the languages of `remark-words.ts`. */
const asked: readonly (readonly [Attribute, RegExp])[] = [
  [
    'Presence',
    /(?<!\p{L})(?:exists?|present|there (?:is|are)|vorhanden|existier|gibt es|présent|existe|aanwezig|bestaat|esiste|presente|istnieje|mevcut|существует)|存在|있는지|있다/iu,
  ],
  [
    'Size',
    /(?<!\p{L})(?:sizes?(?! of (?:the |a )?(?!file|archive|image|picture|log)\p{L}+ )|(?:kilo|mega|giga)?bytes?|[KMG]i?B|disk (?:usage|space)|how (?:much (?:larger|bigger|smaller)|large|big|small)|größe|wie groß|speicherplatz|taille|octets?|quelle place|tamaño|cuánto ocupa|ocupa|tamanho|grootte|hoe groot|dimensione|quanto (?:è grande|pesa)|rozmiar|bajt|boyut|bayt|размер|байт|storlek|størrelse|velikost)|サイズ|大きさ|バイト|容量|大小|字节|크기|바이트/iu,
  ],
  [
    'Size',
    new RegExp(
      String.raw`(?:${F}.{0,12}|\bwhich .{0,60}?)(?:is|ist|est|es|è|are|ist|jest)\s[^.]{0,16}(?:larger|bigger|smaller|empty|leer|größer|kleiner|vide|plus (?:grand|petit|gros)|vacío|más (?:grande|pequeño)|leeg|groter|kleiner|vuoto|più (?:grande|piccolo)|pust[ya])`,
      'iu',
    ),
  ],
  [
    'Time',
    /(?<!\p{L})(?:dates?|day(?! of)|times?|timestamps?|[mac]time|modified|modification|(?:last|was|were) (?:changed|written|touched|updated|edited)|created|creation|birth|age|how (?:much (?:older|newer)|old)|when|datum|zeitstempel|änderung\p{L}*|geändert|wann|wie alt|alter|modifié\p{L}*|date|quand|fecha|modificad\p{L}*|cuándo|data|modificat\p{L}*|quando|wanneer|gewijzigd|zmodyfikowan\p{L}*|değiştir\p{L}*|tarih\p{L}*|изменен\p{L}*|дата)|更新日時|日時|日付|修改时间|日期|수정|날짜/iu,
  ],
  [
    'Time',
    new RegExp(
      String.raw`(?:${F}.{0,12}|\bwhich .{0,60}?)(?:is|ist|est|es|è|are|jest)\s[^.]{0,16}(?:newer|newest|older|oldest|neuer|älter|plus (?:récent|ancien)|más (?:nuevo|reciente|antiguo|viejo)|nieuwer|ouder|più (?:recente|nuovo|vecchio))`,
      'iu',
    ),
  ],
  [
    'Mode',
    /(?<!\p{L})(?:permissions?|mode|access rights|chmod|(?:is|are|be|made|not|world-) ?(?:executable|readable|writable)|rechte|zugriffsrechte|dateirechte|ausführbar|droits|exécutable|permisos|ejecutable|rechten|uitvoerbaar|permess\p{L}*|eseguibile|permissões|executável|uprawnieni\p{L}*|wykonywaln\p{L}*|izin\p{L}*|çalıştırılabilir|права|исполняем\p{L}*)|権限|パーミッション|实行可能|权限|可执行|권한/iu,
  ],
  [
    'Owner',
    /(?<!\p{L})(?:own(?:er|ed|ing)|owns|belongs to|uid|gid|besitzer|eigentümer|gehört|propriétaire|appartient|propietario|dueño|pertenece|eigenaar|proprietario|właściciel|sahib\p{L}*|владел\p{L}*)|所有者|소유자/iu,
  ],
  [
    'Kind',
    /(?<!\p{L})(?:sym(?:bolic )?links?|symlink|directory|folder|regular file|verzeichnis|ordner|dossier|répertoire|carpeta|directorio|cartella|map)(?!\p{L})/iu,
  ],
  [
    'Format',
    /(?<!\p{L})(?:types?|kind of file|formats?|mime|media type|encod(?:ed|ing)|charset|dimensions?|pixels?|resolution|width|height|dateityp|dateiart|auflösung|kodierung|encodage|tipo|formato|codific\p{L}*|soort|typ|тип|формат|tür)(?!\p{L})|種類|形式|类型|格式|형식/iu,
  ],
  [
    'Link',
    /(?<!\p{L})(?:links?|points?|inode|verweist|verknüpfung|lien|pointe|enlace|apunta|koppeling|wijst|collegamento|punta|ссылк\p{L}*)(?!\p{L})|リンク|链接|링크/iu,
  ],
];

/** What stands in a file is no attribute of it: `the largest date in F`. */
const INSIDE = new RegExp(
  String.raw`(?<!\p{L})(?:in|inside|within|from|aus|dans|nel|nello|nella|uit|w|в|из|içinde)\s+(?:the\s+|file\s+|der\s+datei\s+|le\s+fichier\s+){0,2}["'\u0060]?${F}`,
  'iu',
);

/** Commands by what they show of a file. */
const shownBy: readonly (readonly [RegExp, readonly Attribute[]])[] = [
  [/\bstat\s/, ['Presence', 'Size', 'Time', 'Mode', 'Owner', 'Kind', 'Link']],
  [/\bls\s(?:[^;|&\n]*\s)?-\w*[lngo]/, ['Presence', 'Size', 'Time', 'Mode', 'Owner', 'Kind', 'Link']],
  [/\bls\s(?:[^;|&\n]*\s)?(?:-\w*[sS]|--size)/, ['Presence', 'Size']],
  [/\bls\s(?:[^;|&\n]*\s)?-\w*t/, ['Presence', 'Time']],
  [/\bls\s(?:[^;|&\n]*\s)?-\w*[Fp]/, ['Presence', 'Kind']],
  [/\bls\s(?:[^;|&\n]*\s)?-\w*i/, ['Presence', 'Link']],
  [/\bdu\s/, ['Presence', 'Size']],
  [/\bfile\s/, ['Presence', 'Kind', 'Format', 'Link']],
  [/\bfind\s[^;|&\n]*-(?:printf|ls)\b/, ['Presence', 'Size', 'Time', 'Mode', 'Owner', 'Kind', 'Link']],
  [/\bfind\s[^;|&\n]*-(?:size|empty)\b/, ['Presence', 'Size']],
  [/\bfind\s[^;|&\n]*-(?:[mac](?:time|min)|newer\w*)\b/, ['Presence', 'Time']],
  [/\bfind\s[^;|&\n]*-(?:perm|executable|readable|writable)\b/, ['Presence', 'Mode']],
  [/\bfind\s[^;|&\n]*-(?:user|group)\b/, ['Presence', 'Owner']],
  [/\bfind\s[^;|&\n]*-(?:type|links|inum|lname)\b/, ['Presence', 'Kind', 'Link']],
  [/(?:\btest|\[{1,2})\s+!?\s*-[xrw]\s/, ['Mode']],
  [/(?:\btest|\[{1,2})\s+!?\s*-[fdeLh]\s/, ['Presence', 'Kind', 'Link']],
  [/(?:\btest|\[{1,2})\s+!?\s*-s\s/, ['Presence', 'Size']],
  [/(?:\btest|\[{1,2})\s[^;|&\n]*-(?:nt|ot)\s/, ['Time']],
  [/\b(?:readlink|realpath)\s/, ['Link']],
  [/\bdate\s(?:[^;|&\n]*\s)?-\w*r\b|\bdate\s[^;|&\n]*--reference/, ['Time']],
  [/\btree\s[^;|&\n]*-\w*[shpDug]/, ['Presence', 'Size', 'Time', 'Mode', 'Owner']],
  [/\b(?:ls|find|tree)\b/, ['Presence']],
];

/** Tools that list files name each with its size. */
const listed: readonly Attribute[] = ['Presence', 'Size', 'Kind'];

/**
 * Whether a call that lists shows what the criterion asks of a file.
 *
 * @param file  as the criterion names it
 */
export function describes(
  { tool, input }: Pick<ToolCallRecord, 'tool' | 'input'>,
  criterion: string,
  file: string,
  known: KnownTools,
): boolean {
  const question = criterion.replaceAll(file, F);
  if (INSIDE.test(question)) return false;
  const wanted = new Set(asked.flatMap(([attribute, pattern]) => (pattern.test(question) ? [attribute] : [])));
  if (!known.factsOf(tool).runsCode) return listed.some((it) => wanted.has(it));
  const script = bashIn(tool, input) ?? '';
  return shownBy.some(([pattern, attributes]) => attributes.some((it) => wanted.has(it)) && pattern.test(script));
}
