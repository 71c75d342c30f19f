/**
 * Words beside a number that is no result, in languages of other kinds: those whose words change their endings (Russian, Ukrainian,
 * Polish, Czech, Turkish, Portuguese, Swedish, Norwegian, Finnish) by their beginnings, and those that separate no words (Japanese,
 * Chinese, Korean) by what stands directly beside the digits. Names of notions are those of `remark-words.ts`.
 */

/** Words of these languages, and beginnings of words; none of them begins an English one. */
export const words: readonly (readonly [notion: string, words: string, beginnings: string])[] = [
  [
    'step',
    'krok kroku kroki krokach krokami krokem kroky etap etapy etapach etapu vaihe vaihetta trinn etapa etapas steg',
    'шаг этап крок етап adım aşama',
  ],
  [
    'attempt',
    'pokus pokusy pokusu deneme denemede denemeden denemem próba próby tentativa tentativas',
    'попыт спроб prób försök forsøk yrity',
  ],
  [
    'command',
    'polecenie polecenia poleceniu poleceniem poleceniami komut komutla komutlar komutu komento komentoa kommando',
    'команд poleceń příkaz',
  ],
  ['call', 'anrop kutsu kutsua chamada chamadas', 'вызов виклик wywoła volán çağrı'],
  ['script', 'skrypt skrypty skryptu skryptem betik betikle betiği skript', 'скрипт сценар программ програм'],
  [
    'file',
    'plik pliki pliku plikach plikami plikiem soubor soubory souboru dosya dosyalar dosyada dosyayla tiedosto tiedostoa',
    'файл plików souborů документ dosyay dosyan',
  ],
  ['tool', 'narzędzie narzędzia', 'инструмент інструмент narzędzi nástroj verktøy'],
  ['word', 'kelime ord sanaa', 'слов słów słow'],
  ['time', 'раз раза разів рази raz razy krát kez defa kere gång gånger ganger kertaa vezes', ''],
  ['run', 'kez uruchomienie uruchomienia körning körningar', 'запуск прогон итерац ітерац'],
  ['request', 'zapytanie zapytania dotaz dotazy sorgu istek', 'запрос запит'],
  ['part', 'akapit akapity', 'абзац частин odstav'],
  ['check', 'sprawdzenie sprawdzenia', 'провер перевір'],
  ['reason', 'sposoby powody', 'способ причин спосіб sposób způsob'],
  ['line', 'wiersz wiersze linia linie rader rad', 'строк рядк satır řád'],
  ['page', 'strona strony stronie sayfa sayfada sida sidor', 'страниц сторінк página'],
  ['version', 'wersja wersji verze sürüm', 'верси верс versão'],
];

/** What is counted or numbered, by characters: in Japanese, Chinese and Korean. */
export const nouns: readonly (readonly [notion: string, nouns: string])[] = [
  ['step', '段階|ステップ|工程|手順|步骤|步驟|步|阶段|階段|단계|스텝'],
  ['attempt', '回目|[つ番個]目|度目|試行|次尝试|次嘗試|尝试|번째|차\\s?시도|시도'],
  ['command', 'コマンド|命令|指令|명령어?'],
  ['call', '呼び出し|调用|呼叫|호출'],
  ['script', 'スクリプト|プログラム|脚本|腳本|程序|스크립트|프로그램'],
  ['file', 'ファイル|文件|檔案|文档|파일|문서'],
  ['tool', 'ツール|工具|도구'],
  ['word', '文字|単語|语|字|글자|단어'],
  ['run', '実行|运行|執行|실행'],
  ['request', 'リクエスト|クエリ|请求|查询|요청|쿼리'],
  ['part', '部分|段落|セクション|章|节|문단|부분'],
  ['check', '確認|チェック|检查|檢查|확인|점검'],
  ['reason', '方法|理由|방법|이유'],
  ['line', '行程度|行目|行の|행|줄'],
  ['page', 'ページ|页|頁|페이지|쪽'],
  ['time', '回|次|遍|번|회|차례'],
];

/** Between digits and what is counted: `3つの`, `3个`, `3개의`. */
export const COUNTER = String.raw`\s?(?:つ|個|件|本|回|条|个|次|份|種|项|項|개|번|건|가지|차)?(?:の|의)?\s?`;

/** Units behind the digits of a time that something took. */
export const MORE_DURATION_UNITS =
  /^\s?(?:секунд|сек|с(?!\p{L})|минут|мин|час|хвилин|годин|sekund|sek\.?|minut|godzin|hodin|segundos?|minutos?|horas?|saniye|dakika|saat|sekunt|minuut|minutt|tunti|timm|秒|分(?![の之])|分钟|時間|小时|小時|초|분|시간)/iu;

/** Behind them: `5分かかりました`, `5분 걸렸습니다`, `5 dakika sürdü`. */
export const WORK_BEHIND =
  /^\s?(?:\p{L}{1,7}?|秒钟?|分钟?|分|時間|小时|小時|초|분|시간)\s?(?:\d{1,2}\s?(?:秒钟?|分钟?|초|분|saniye|dakika)\s?)?(?:ほど|くらい|程度|以内|左右|정도|이내)?\s?(?:かか|で(?:終|完|済|実行|処理|計算|でき)|で、|で終|の処理|後に|後、|完成|内完|后(?:完成|得到)|걸[려렸리]|만에|후에|소요|안에|sürdü|sonra|içinde|sürede)/u;

/** Before them: `耗时`, `заняло около`. */
export const WORK_BEFORE =
  /(?:время (?:выполнения|работы):?|czas (?:pracy|działania):?|時間(?:は|が|：|:)?|所要|耗时|耗時|用时|用時|花了|花费|费时|历时|소요|시간(?:은|:|：)?|занял[оаи]?|заняв|зайнял[оаи]?|за|через|работал[аи]?|выполнял\p{L}*|потребовал\p{L}*|длил\p{L}*|тривал\p{L}*|zajęł[oay]?|trwał[oay]?|po|w|przez|działał[oa]?|trval[oa]?|za|levou|demorou|durou|após|em|gastou|tog|tok|etter|efter|kesti|süre(?:si)?:?)[\s(（]*(?:(?:to|mi|это|мне|у меня|це|isso|det|mig|se|mne)\s)?(?:около|примерно|приблизно|всего|лишь|około|ok\.|tylko|prawie|asi|cerca de|aproximadamente|apenas|só|ungefär|omtrent|cirka|ca\.?|noin|yaklaşık|約|およそ|大约|约|大約|不到|약|대략|~|≈)?\s?$/iu;

/** Words by which a criterion asks for how long something took. */
export const moreDurationWords: readonly string[] = list(
  '時間 所要 时长 時長 耗时 用时 시간 소요 длительность продолжительность время тривалість час czas trwania doba duração tempo süre varaktighet kesto',
);

function list(words: string): readonly string[] {
  return words.split(' ');
}
