/**
 * Words that make a number beside them a remark about the work or a name, in English, German, French, Spanish, Dutch and Italian.
 *
 * One row for each notion. A criterion that speaks of the notion, in any of the languages, makes such a number a result again.
 */
export interface RemarkNotion {
  readonly name: string;
  /** `Count`: the word follows its number (2 commands). `Label`: it stands before it (step 2). */
  readonly reads: 'Count' | 'Label' | 'Both';
  readonly words: readonly string[];
  /** It tells how long the text itself is. */
  readonly isOfText?: true;
}

export const remarkNotions: readonly RemarkNotion[] = [
  {
    name: 'step',
    reads: 'Both',
    words: list(
      'step steps schritt schritte schritten étape étapes paso pasos stap stappen passo passi passaggio passaggi passos steg trin',
    ),
  },
  {
    name: 'attempt',
    reads: 'Both',
    words: list(
      'attempt attempts try tries versuch versuche versuchen anlauf anläufe anläufen tentative tentatives essai essais intento intentos poging pogingen tentativo tentativi tentativas försök forsøg',
    ),
  },
  {
    name: 'command',
    reads: 'Count',
    words: list(
      "command commands befehl befehle befehlen kommando kommandos commande commandes comando comandos opdracht opdrachten commando's comandi kommandon kommandoer",
    ),
  },
  {
    name: 'call',
    reads: 'Count',
    words: list(
      'call calls aufruf aufrufe aufrufen appel appels llamada llamadas aanroep aanroepen chiamata chiamate chamada chamadas anrop kald',
    ),
  },
  {
    name: 'script',
    reads: 'Count',
    words: list(
      "script scripts skript skripte skripten skripts guion guiones script's programme program programs programm programme programa programas programma programma's programmi one-liner",
    ),
  },
  {
    name: 'file',
    reads: 'Both',
    words: list(
      'file files datei dateien fichier fichiers archivo archivos fichero ficheros bestand bestanden document documents dokument dokumente documento documentos documenti arquivo arquivos ficheiro ficheiros fil filer',
    ),
  },
  {
    name: 'tool',
    reads: 'Count',
    words: list(
      'tool tools werkzeug werkzeuge werkzeugen outil outils herramienta herramientas hulpmiddel hulpmiddelen strumento strumenti ferramenta ferramentas verktyg værktøjer',
    ),
  },
  {
    name: 'word',
    reads: 'Count',
    isOfText: true,
    words: list(
      'word words wort wörter wörtern mot mots palabra palabras woord woorden parola parole character characters zeichen',
    ),
  },
  {
    name: 'time',
    reads: 'Count',
    words: list('times mal male fois vez veces keer maal volta volte vezes gånger gange often oft souvent vaak spesso'),
  },
  {
    name: 'run',
    reads: 'Both',
    words: list(
      'run runs iteration iterations durchlauf durchläufe durchläufen durchgang durchgänge durchgängen iteración iteraciones iteratie iteraties iterazione iterazioni itération itérations round rounds runde runden',
    ),
  },
  {
    name: 'request',
    reads: 'Count',
    words: list(
      'query queries search searches abfrage abfragen anfrage anfragen requête requêtes consulta consultas zoekopdracht zoekopdrachten richiesta richieste lookup lookups',
    ),
  },
  {
    name: 'part',
    reads: 'Both',
    words: list(
      'part parts section sections paragraph paragraphs sentence sentences teil teile teilen abschnitt abschnitte abschnitten absatz absätze absätzen satz sätze sätzen partie parties paragraphe paragraphes phrase phrases parte partes sección secciones párrafo párrafos frase frases deel delen sectie secties alinea zin zinnen sezione sezioni parti paragrafo paragrafi frasi bullet bullets',
    ),
  },
  {
    name: 'check',
    reads: 'Both',
    words: list(
      'check checks prüfung prüfungen vérification vérifications comprobación comprobaciones controle controles verifica verifiche',
    ),
  },
  {
    name: 'reason',
    reads: 'Both',
    words: list(
      'way ways option options approach approaches reason reasons weg wege möglichkeit möglichkeiten façon façons raison raisons manera maneras opción opciones razón razones manier manieren optie opties reden redenen modo modi opzione opzioni motivo motivi gründe gründen grund',
    ),
  },
  { name: 'version', reads: 'Label', words: list('version versions release versión versie versione v ver') },
  {
    name: 'article',
    reads: 'Label',
    words: list(
      'art article artikel artículo articolo artigo clause clauses annex section sec § level draft revision rev build tier phase',
    ),
  },
  { name: 'page', reads: 'Label', words: list('page pages seite seiten página páginas pagina pagine p s') },
  {
    name: 'line',
    reads: 'Label',
    words: list('line lines zeile zeilen ligne lignes línea líneas regel regels riga righe'),
  },
  {
    name: 'column',
    reads: 'Label',
    words: list('column columns spalte spalten colonne colonnes columna columnas kolom kolommen colonna'),
  },
  {
    name: 'chapter',
    reads: 'Label',
    words: list('chapter chapters kapitel chapitre chapitres capítulo hoofdstuk capitolo appendix anhang annexe'),
  },
  {
    name: 'figure',
    reads: 'Label',
    words: list(
      'figure fig footnote note fußnote nota noot abbildung abb table tabelle tableau tabla tabel tabella figura listing',
    ),
  },
  {
    name: 'criterion',
    reads: 'Both',
    words: list('criterion criteria kriterium kriterien critère critères criterio criterios criteri'),
  },
  { name: 'number', reads: 'Label', words: list('no nr num n° nº №') },
  {
    name: 'exit code',
    reads: 'Label',
    words: list('code exitcode status statuscode rückgabewert exit código codice returncode http https'),
  },
];

/** Products, formats and standards that people name with a number behind them: `Python 3`, `HTTP 404`, `ISO 8601`. */
export const namedWithNumber: ReadonlySet<string> = new Set(
  list(
    'python node nodejs node.js java javascript ecmascript php ruby perl go golang rust swift kotlin scala bash zsh gcc clang c++ ' +
      'windows ubuntu debian fedora macos ios android alpine centos linux kernel excel office word numpy pandas sqlite mysql ' +
      'postgres postgresql mariadb mongodb redis docker kubernetes npm pip angular vue react django flask html css xml gpt claude ' +
      'utf iso rfc din en sha md base crc aes rsa ieee unicode ascii latin tls ssl wcag ecma ipv http https ' +
      'office365 outlook chrome firefox safari postgis spark hadoop terraform ansible git awk gawk sed jq ' +
      'c# .net f# dotnet asp.net powershell typescript deno bun vite webpack babel eslint vitest junit pytest svelte next.js nuxt ' +
      'express rails laravel symfony boot spring hibernate maven gradle cmake make qt gtk opengl vulkan cuda directx opencv pytorch ' +
      'tensorflow keras scikit-learn scipy matplotlib polars duckdb jupyter r julia matlab octave fortran cobol ada haskell erlang ' +
      'elixir ocaml lua dart flutter electron webassembly wasm graphql grpc protobuf avro thrift openapi swagger asyncapi cloudevents ' +
      'json schema yaml toml csv pdf epub latex tex markdown commonmark svg png jpeg mpeg webp rss atom soap wsdl xslt xpath xhtml rdf ' +
      'owl sparql sql oauth saml oidc openid jwt ldap kerberos ssh openssh openssl dns dnssec dhcp ntp smtp imap pop mqtt amqp kafka ' +
      'rabbitmq nginx apache httpd tomcat jetty caddy envoy istio helm k8s containerd cri-o podman kustomize argo flux prometheus grafana ' +
      'elasticsearch opensearch kibana logstash solr lucene cassandra neo4j couchdb oracle db2 rhel suse opensuse arch freebsd openbsd ' +
      'netbsd solaris server bluetooth usb pcie hdmi displayport thunderbolt wi-fi wifi lte zigbee nvme sata ddr cvss owasp nist pci dss ' +
      'pci-dss soc iec ansi nf bs ean gdpr dsgvo rgpd hipaa itil cobit tnm icd semver versioning changelog commits spdx purl cyclonedx ' +
      'llama sp vcard icalendar neo4j log4j mistral gemini gemma qwen phi deepseek palm bert whisper dall-e stable-diffusion gpt-4 gpt-3 wordpress drupal joomla jira ' +
      'confluence jenkins gitlab github vim emacs vscode xcode blender photoshop unity unreal minecraft sap salesforce',
  ),
);

/** Licences, which are named with their version: `GPL-3.0`, `CC BY-SA 4.0`, `Apache License 2.0`. */
export const licences: ReadonlySet<string> = new Set(
  list(
    'gpl lgpl agpl fdl gfdl mit apache bsd mpl eupl epl cddl cpl isc zlib artistic osl afl cecill odbl odc cc by by-sa by-nc by-nd by-nc-sa ' +
      'by-nc-nd cc0 ofl wtfpl bsl sspl license licence lizenz licencia licenza licença licentie',
  ),
);

/** Conventions of writing: what follows one does not print its version. */
export const conventions: ReadonlySet<string> = new Set(list('semver versioning changelog commits'));

/** Names that are words as well: small letters make no name of them. */
export const alsoWords: ReadonlySet<string> = new Set(
  list(
    'node go rust swift word excel office spark base en make express rails server by r c ada latin owl atom spring boot schema ' +
      'commits arch flux caddy jest claude unity flask react vue angular safari chrome windows oracle pop soap ansible perl ruby ' +
      'bs sp nf sap whisper palm blender confluence julia dart kernel bun next.js artistic mit apache git docker helm ' +
      'license licence lizenz licencia licenza licença licentie',
  ),
);

/** Names that are spelt with their number: they identify nothing that a tool would have to show. */
export const KNOWN_NAME =
  /^(?:utf-?(?:8|16|32)|ucs-?[24]|sha-?(?:1|2|3|224|256|384|512)(?:sum)?|md-?5(?:sum)?|iso[- ]?\d{3,5}(?:-\d+)?|rfc-?\d{1,4}|(?:din|ecma|en|ieee|tls|wcag)[-_]?\d+(?:[-.:]\d+)*|co2|aes-?\d{3}|rsa-?\d{4}|crc-?\d{1,2}|base-?\d{2}|cp-?\d{3,4}|windows-\d{3,4}|latin-?\d|http-?[1-5]?\d?\d?|ipv?-?[46]|python-?\d?(?:\.\d+)*|pip3?|node-?\d+|java-?\d+|sql:\d{4}|x86(?:[-_]64)?|amd64|arm64|u?int(?:8|16|32|64)|float(?:16|32|64)|sqlite-?3|log(?:2|10)|h[1-6]|mp[34]|c\+\+\d+|es\d{1,4}|es20\d\d|html-?5|css-?3|gpt-?\d(?:\.\d)?|covid-?19|win32|oauth-?2|i18n|l10n|a11y|neo4j|log4j|wpa[23]|802\.11[a-z]{0,2}|p2p|b2c|k8s|b2b|y2k|ascii-?\d?|unicode-?\d*)$/iu;

function list(words: string): readonly string[] {
  return words.split(' ');
}
