/**
 * German, Dutch, Swedish, Polish, Russian and Ukrainian. Verbs as commands and as infinitives; inflected words are given as
 * stems.
 */
import type { Lexicon } from './concepts.ts';

export const german: Lexicon = {
  OverrideLast: `ignorieren | missachten | vergessen | umgehen | nicht beachten | nicht befolgen | ausser acht lassen | uberschreiben | ubergehen | zurucksetzen`,
  ForgetAll: `vergiss alles | ignoriere alles | vergessen sie alles`,
  Override: `ignoriere | ignorier | ignorieren | ignoriert | missachte | missachten | vergiss | vergesse | vergessen | vergesst | uberschreibe | umgehe | umgehen | verwirf | verwerfen | ubergehe | setze dich hinweg | halte dich nicht an
    | befolge nicht | beachte nicht | nicht beachten | nicht befolgen | lass alle | streiche | brich | breche | hebe auf | verlasse | losche | loesche | ueberschreibe`,
  Target: `anweisung* | instruktion* | regel | regeln | vorgabe* | richtlinie* | befehl | befehle | befehlen | systemprompt* | prompt | prompts | einschrankung* | beschrankung* | vorschrift* | aufgabe | aufgaben | aufgabenstellung | auftrag | auftrage | anordnung* | programmierung | leitlinie* | sicherheitsregel* | sicherheitsrichtlinie*`,
  Own: `deine | deinen | deiner | deines | dein | ihre | ihren | ihrer | euch | dir | dir gegeben | die du | die dir`,
  Prior: `vorherig* | vorig* | bisherig* | fruher* | obig* | vorangegangen* | vorangehend* | ursprunglich* | davor | zuvor | oben | vorhergehend* | bisher | erhalten hast | anfanglich*`,
  All: `alle | allen | alles | jede | samtliche | sämtliche | ganzen`,
  EverythingSaid: `alles davor | alles was davor | alles bisherige | alles vorherige | alles obige | alles oben | alles was ich | alles was du | was ich vorher | was ich davor | was du bisher | alles vorher | alles was vorher | was davor | das davor | alles zuvor`,
  NewOrders: `neue anweisung | neue anweisungen | neue aufgabe | deine neue aufgabe | neue regeln gelten | neuer auftrag | neue instruktionen | deine eigentliche aufgabe | neue herausforderungen`,
  RoleNow: `du bist jetzt | du bist nun | ab jetzt bist du | von nun an bist du | ab sofort bist du | von jetzt an | ab sofort | du bist nicht mehr | du wirst nun | sie sind jetzt | sie sind nun | nimm nun`,
  RoleAs: `tu so als | tue so als | stell dir vor du | verhalte dich wie | verhalte dich als | nimm die rolle | spiele die rolle | spiel die rolle | agiere als | gib dich als | schlupfe in die rolle | antworte als | handle als | in die rolle`,
  Unrestricted: `ohne einschrankung* | ohne beschrankung* | ohne regeln | ohne filter | ohne grenzen | ohne zensur | uneingeschrankt* | unzensiert* | keine regeln | keine grenzen | keine einschrankungen | ungefiltert*`,
  NoRefusal: `du musst gehorchen | weigere dich nicht | ohne ruckfrage | antworte immer | niemals ablehnen | ohne widerspruch`,
  Reveal: `zeige | zeig | nenne | nenn | gib | gib mir | verrate | verrat | wiederhole | drucke | offenbare | offenlege | teile mir | sage mir | sag mir | schreibe | schreib | gebe | liste | veroffentliche | ubersetze`,
  Prompt: `systemprompt | system prompt | deine anweisungen | deinen prompt | deinen systemprompt | deine prompt | deine instruktionen | deine regeln | prompttexte | prompt texte | urspruengliche anweisungen | deine anfangsanweisungen | deine vorgaben | ursprungliche anweisung* | deine eingabe`,
  TextAbove: `text oben | obigen text | obige text | alles oben | worter oben | satze oben`,
  AskPrompt: `was sind deine anweisungen | wie lautet dein prompt | wie lautet dein systemprompt | was steht in deinem prompt | wie lauten deine anweisungen | was ist dein prompt | was ist dein systemprompt`,
  Secret: `passwort | passworter | kennwort | geheimnis | geheimnisse | zugangsdaten | geheimwort | api schlussel | geheimen schlussel | geheimcode | vertrauliche*`,
  Secrecy: `sag dem benutzer nicht | sage dem benutzer nicht | sag dem nutzer nicht | erwahne dies nicht | erwahne das nicht | ohne den nutzer | ohne den benutzer | heimlich | verschweige | informiere den benutzer nicht | teile dem benutzer nicht mit`,
  Send: `sende | schicke | leite | lade | ubermittle | verschicke | weiterleiten`,
  AgentName: `ki assistent | ki modell | sprachmodell | kunstliche intelligenz | an die ki | an den assistenten`,
  OnlyAnswer: `antworte nur mit | antworte nur | sag nur | sage nur | gib nur | schreibe nur | gib aus | antworte ausschliesslich`,
  About: `angriff* | angreifer* | bedeutet | beispiel* | phrase | erklare | erkennen | aufsatz | forschung | schwachstelle* | artikel uber | was heisst`,
  Harm: `hacken | hacker | bombe | waffe | waffen | drogen | stehlen | schadsoftware | illegal*`,
};

export const dutch: Lexicon = {
  OverrideLast: `negeren | vergeten`,
  ForgetAll: `vergeet alles | negeer alles`,
  Override: `negeer | negeren | vergeet | vergeten | omzeil | overschrijf | schend | verwerp | sla over`,
  Target: `instructies | instructie | regels | richtlijnen | opdrachten | opdracht | aanwijzingen | beperkingen | systeemprompt | prompt | bevelen`,
  Own: `je | jouw | uw | aan jou gegeven`,
  Prior: `vorige | eerdere | voorgaande | bovenstaande | oorspronkelijke | hierboven | voorafgaande`,
  All: `alle | alles | elke`,
  EverythingSaid: `alles hierboven | alles wat je | alles hiervoor`,
  NewOrders: `nieuwe instructies | nieuwe opdracht | je nieuwe taak`,
  RoleNow: `je bent nu | vanaf nu ben je | vanaf nu | u bent nu`,
  RoleAs: `doe alsof | gedraag je als | speel de rol | handel als`,
  Unrestricted: `zonder beperkingen | zonder regels | onbeperkt | ongecensureerd | zonder filters`,
  Reveal: `toon | laat zien | onthul | geef | geef me | herhaal | druk af | vertel | vertel me | schrijf`,
  Prompt: `systeemprompt | je instructies | jouw instructies | je prompt | je richtlijnen | je oorspronkelijke`,
  Secret: `wachtwoord | wachtwoorden | geheim | geheimen | inloggegevens`,
  Secrecy: `vertel de gebruiker niet | zonder de gebruiker | stiekem | vermeld dit niet`,
  Send: `stuur | verzend | upload`,
  About: `aanval | aanvaller | voorbeeld | betekent | uitleg`,
};

export const swedish: Lexicon = {
  Override: `ignorera | glom | bortse fran | asidosatt | overskrid | kringga`,
  Target: `instruktioner | instruktionerna | regler | reglerna | riktlinjer | riktlinjerna | anvisningar | anvisningarna | begransningar | systemprompt | order`,
  Own: `dina | din | ditt`,
  Prior: `tidigare | foregaende | ovanstaende | ursprungliga`,
  All: `alla | allt`,
  RoleNow: `du ar nu | fran och med nu`,
  RoleAs: `lat som | agera som | spela rollen`,
  Unrestricted: `utan begransningar | utan regler | ocensurerad`,
  Reveal: `visa | avsloja | skriv ut | upprepa | beratta`,
  Prompt: `systemprompt | dina instruktioner | din prompt`,
};

export const polish: Lexicon = {
  ForgetAll: `zapomnij wszystko | zapomnij o wszystkim | zignoruj wszystko`,
  Override: `zignoruj | ignoruj | zignorowac | zapomnij | pomin | pominac | obejdz | nadpisz | odrzuc | zlekcewaz | nie przestrzegaj`,
  Target: `instrukcje | instrukcji | instrukcjach | polecenia | polecen | poleceniach | zasady | zasad | zasadach | reguly | regul | wytyczne | wytycznych | ograniczenia | ograniczen | ograniczeniach | prompt | prompt systemowy | rozkazy`,
  Own: `swoje | swoich | twoje | twoich | twoj`,
  Prior: `poprzedni* | wczesniejsz* | powyzsz* | dotychczasow* | oryginaln* | pierwotn*`,
  All: `wszystkie | wszystkich | wszystko | wszystkim`,
  EverythingSaid: `wszystko powyzej | wszystko co bylo | o wszystkim co`,
  NewOrders: `nowe instrukcje | nowe polecenie | twoje nowe zadanie | nowe zadanie brzmi`,
  RoleNow: `jestes teraz | od teraz jestes | teraz jestes | od tej chwili`,
  RoleAs: `udawaj ze | zachowuj sie jak | wciel sie w | odgrywaj role | udawaj`,
  Unrestricted: `bez ograniczen | bez zasad | bez cenzury | bez filtrow | nieograniczon*`,
  Reveal: `pokaz | ujawnij | wypisz | powtorz | podaj | wyswietl | zdradz | powiedz`,
  Prompt: `prompt systemowy | instrukcje systemowe | swoje instrukcje | twoje instrukcje | swoj prompt | twoj prompt | instrukcji systemowych`,
  Secret: `haslo | hasla | tajne haslo | sekret | dane logowania`,
  Secrecy: `nie mow uzytkownikowi | nie informuj | bez wiedzy uzytkownika | potajemnie | po cichu`,
  Send: `wyslij | przeslij | przekaz`,
  About: `atak* | przyklad* | oznacza | wyjasnij`,
};

export const russian: Lexicon = {
  ForgetAll: `забудь все | забудь всё | забудь обо всем | забудьте все | игнорируй все`,
  Override: `игнорируй* | проигнорируй* | игнорировать | забудь* | забыть | отбрось* | обойди* | пренебреги* | не следуй | не обращай внимания | отмени* | нарушь | нарушай | пропусти`,
  Target: `инструкц* | указани* | правил* | ограничени* | команды | команд | промпт* | распоряжени* | директив* | руководств* | предписани* | запрет* | установки | задани*`,
  Own: `свои | своих | твои | твоих | ваши | ваших | твой | данные тебе | тебе даны`,
  Prior: `предыдущ* | прежни* | прошлы* | вышеуказанн* | изначальн* | первоначальн* | выше | ранее | исходн* | системн*`,
  All: `все | всех | любые | всё | всем`,
  EverythingSaid: `все что было | все что выше | все вышесказанное | все сказанное | обо всем | всё что было`,
  NewOrders: `новые инструкции | новая инструкция | новое задание | твоя новая задача | твое новое задание | новые правила`,
  RoleNow: `теперь ты | отныне ты | с этого момента ты | ты теперь | ты больше не | с этого момента`,
  RoleAs: `притворись | веди себя как | действуй как | представь что ты | играй роль | сыграй роль | вообрази себя`,
  Unrestricted: `без ограничений | без правил | без цензуры | без фильтров | неограниченн*`,
  NoRefusal: `ты обязан | не отказывайся | никогда не отказывай*`,
  Reveal: `покажи* | раскрой* | выведи* | напечатай* | повтори* | скажи* | назови* | сообщи* | выдай* | перечисли* | расскажи*`,
  Prompt: `системный промпт | системные инструкции | системную инструкцию | свои инструкции | твои инструкции | свой промпт | твой промпт | скрытые инструкции | начальные инструкции | системного промпта`,
  Secret: `пароль | пароли | секрет* | секретный ключ | ключ доступа | учетные данные`,
  Secrecy: `не говори пользователю | не сообщай | втайне | незаметно | без ведома`,
  Send: `отправь* | перешли* | вышли* | загрузи*`,
  About: `атак* | пример* | означает | объясни* | уязвимост*`,
};

export const ukrainian: Lexicon = {
  Override: `ігноруй* | проігноруй* | забудь* | відкинь* | обійди* | не зважай`,
  Target: `інструкц* | вказівк* | правил* | обмежен* | команди | промпт* | директив* | настанов*`,
  Own: `свої | твої | ваші`,
  Prior: `попередн* | вище | раніше | початков*`,
  All: `усі | всі | все`,
  RoleNow: `тепер ти | відтепер ти | ти тепер`,
  RoleAs: `вдавай | поводься як | уяви що ти`,
  Reveal: `покажи* | розкрий* | виведи* | повтори* | скажи*`,
  Prompt: `системний промпт | свої інструкції | твої інструкції | системні інструкції`,
  Secret: `пароль | таємн*`,
};
