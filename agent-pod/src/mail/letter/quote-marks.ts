/** How mail programs mark what others wrote, in the languages of the most used ones. A table of patterns and nothing else. */

/** The line before a quote: `On 3 Nov 2026 at 10:01, Ada wrote:`. It has a date or an address, which a sentence of one's own has not. */
const WROTE = new RegExp(
  `(${[
    ...[
      'wrote',
      'writes',
      'schrieb.{0,120}',
      'a écrit',
      'escribió',
      'ha scritto',
      'escreveu',
      'schreef.{0,120}',
      'skrev.{0,120}',
    ],
    ...[
      'pisze',
      'napisał(\\(a\\)|a)?',
      'kirjoitti',
      'napsal(\\(a\\)|a)?',
      'пише[тш]?',
      'написал(\\(а\\)|а|и)?',
      'yazdı',
      'ezt írta',
      'a scris',
    ],
    ...['写道', '寫道', '書きました', '작성', 'έγραψε', 'rašė', 'napísal(\\(a\\)|a)?', 'כתב', 'كتب'],
  ].join('|')})\\s*[:：]\\s*$`,
  'iu',
);
/** Characters of an attribution, which may be wrapped. */
const ATTRIBUTION_CHARACTERS_MAX = 400;

/** `2026-11-23 10:01 GMT+01:00 Ada <ada@example.org>:`, as Gmail wrote it. */
const DATED =
  /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2},? (\d{1,2}:\d{2} (GMT|UTC)[+-]\d|.{0,120}<\s*[^<>\s@]+@[^<>\s]+>\s*[:：]?\s*$)/iu;
/** `---- On Mon, 23 Nov 2026 10:01:00 +0100 Ada wrote ----`, as Zoho writes it. */
const RULED = /^-{2,}\s*on .{5,200} wrote\s*-{2,}$/iu;

export function isAttribution(text: string): boolean {
  if (text.length > ATTRIBUTION_CHARACTERS_MAX || !/[\d@]/.test(text)) return false;
  if (WROTE.test(text) || DATED.test(text) || RULED.test(text)) return true;
  return /<\s*[^<>\s@]+@[^<>\s]+>\s*[^\n]{0,40}[:：]\s*$/u.test(text);
}

/** A line that is an attribution if a quote follows it: it need not say when, nor end as it should. */
export function introducesQuote(text: string): boolean {
  if (text.length > ATTRIBUTION_CHARACTERS_MAX) return false;
  return (
    WROTE.test(text) ||
    (/<[^<>\s@]+@[^<>\s]+$/u.test(text) && WROTE.test(`${text.slice(0, text.indexOf('<')).replace(/["\s]*$/, '')}:`))
  );
}

const ORIGINAL = [
  ...[
    'original message',
    'ursprüngliche nachricht',
    "message d'origine",
    'message d’origine',
    'message original',
    'mensaje original',
  ],
  ...[
    'messaggio originale',
    'oorspronkelijk bericht',
    'mensagem original',
    'ursprungligt meddelande',
    'originalmeddelande',
  ],
  ...[
    'oprindelig meddelelse',
    'opprinnelig melding',
    'wiadomość oryginalna',
    'alkuperäinen viesti',
    'исходное сообщение',
  ],
  ...[
    'původní zpráva',
    'orijinal mesaj',
    '原始邮件',
    '原始郵件',
    '元のメッセージ',
    '원본 메시지',
    'reply message',
    'original appointment',
  ],
];
const FORWARDED = [
  ...[
    'forwarded message',
    'forwarded by',
    'weitergeleitete nachricht',
    'message transféré',
    'mensaje reenviado',
    'messaggio inoltrato',
  ],
  ...['doorgestuurd bericht', 'mensagem encaminhada', 'vidarebefordrat meddelande', 'videresendt (melding|meddelelse)'],
  ...[
    'пересылаемое сообщение',
    'переадресованное сообщение',
    'wiadomość przekazana',
    'edelleen lähetetty viesti',
    'iletilen mesaj',
  ],
  ...['转发邮件', '轉寄郵件', '転送されたメッセージ', '전달된 메시지', 'begin forwarded message'],
];
const FORWARDED_BEGINS =
  /^(begin forwarded message|anfang der weitergeleiteten nachricht|début du message (réexpédié|transféré)|inizio messaggio inoltrato|inicio del mensaje reenviado|início da mensagem reencaminhada|begin doorgestuurd bericht)\s*[:：]\s*$/iu;
const ruled = (words: readonly string[]): RegExp =>
  new RegExp(`^[-_=*–—\\s]{2,}(${words.join('|')})\\b.{0,200}$`, 'iu');
const ORIGINAL_LINE = ruled(ORIGINAL);
const FORWARDED_LINE = ruled(FORWARDED);

/** What a line opens: all below it is of somebody else. */
export function openedBy(line: string): 'Quote' | 'Forward' | undefined {
  if (line.length > ATTRIBUTION_CHARACTERS_MAX) return undefined;
  if (FORWARDED_BEGINS.test(line) || FORWARDED_LINE.test(`${line} `)) return 'Forward';
  return ORIGINAL_LINE.test(`${line} `) ? 'Quote' : undefined;
}

const label = (words: readonly string[]): RegExp =>
  new RegExp(`^[*_>\\s]{0,4}(${words.join('|')})[*_\\s]{0,3}[:：]`, 'iu');
const FROM_LABEL = label([
  ...[
    'from',
    'von',
    'de',
    'da',
    'van',
    'från',
    'fra',
    'od',
    'lähettäjä',
    'от',
    'від',
    'kimden',
    'gönderen',
    'feladó',
    'de la',
    'από',
  ],
  ...['发件人', '寄件者', '差出人', '送信者', '보낸 사람', 'מאת', 'من', 'expéditeur', 'mittente', 'remitente'],
]);
const OTHER_LABEL = label([
  ...[
    'sent',
    'gesendet',
    'envoyé',
    'enviado( el| em)?',
    'inviato',
    'verzonden',
    'skickat',
    'sendt',
    'wysłano',
    'lähetetty',
    'odesláno',
  ],
  ...[
    'отправлено',
    'дата',
    'date',
    'datum',
    'data',
    'fecha',
    'dato',
    'päivämäärä',
    'tarih',
    '发送时间',
    '日期',
    '送信日時',
    '日時',
    '보낸 날짜',
  ],
  ...[
    'to',
    'an',
    'à',
    'a',
    'para',
    'aan',
    'till',
    'til',
    'do',
    'komu',
    'vastaanottaja',
    'кому',
    'kime',
    '收件人',
    '收件者',
    '宛先',
    '받는 사람',
  ],
  ...[
    'subject',
    'betreff',
    'objet',
    'asunto',
    'oggetto',
    'assunto',
    'onderwerp',
    'ämne',
    'emne',
    'temat',
    'aihe',
    'předmět',
    'тема',
    'konu',
  ],
  ...['主题', '主旨', '件名', '제목', 'cc', 'kopie', 'copie', 'kopia', 'reply-to'],
]);
/** Lines after From in which two more fields stand, where it is the header of a letter. */
const HEADER_LINES = 6;

/** Whether a printed header of another letter begins at this line. */
export function isHeaderBlock(lines: readonly string[], at: number): boolean {
  if (!FROM_LABEL.test(lines[at] ?? '')) return false;
  const next = lines.slice(at + 1, at + 1 + HEADER_LINES);
  return next.filter((line) => OTHER_LABEL.test(line)).length >= 2;
}

/** `-- `, which some programs trim. */
export function isSignatureLine(line: string): boolean {
  return line === '-- ' || line === '--';
}

const FROM_DEVICE =
  /^[*_\s-]{0,3}(sent (from|via|with|on the go from) |get outlook for|from my (iphone|ipad|android|phone|mobile)|von meinem .{1,40} gesendet|gesendet (von|mit)|diese nachricht wurde von|envoyé (de|depuis|à partir)|enviado (desde|do|de)|inviato (da|dal)|verstuurd vanaf|verzonden (met|vanaf)|skickat från|sendt fra|sendt via|lähetetty|wysłano z|отправлено (с|из)|发自|outlook für|télécharger outlook)/iu;

/** What a program adds below a letter. */
export function isDeviceLine(line: string): boolean {
  return line.length < 80 && FROM_DEVICE.test(line.trim());
}
