import { invariant } from '@retainer/contract/std/invariant';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { visibleTextOf, visibleTextOfHtml, type VisibleText } from './visible-text.ts';

async function read(html: string): Promise<VisibleText> {
  const read_ = await visibleTextOfHtml(html);
  invariant(read_.ok, 'is read');
  return read_.value;
}

const HIDDEN = [
  '<p hidden>CANARY</p>',
  '<p HIDDEN="until-found">CANARY</p>',
  '<div aria-hidden="true"><p>CANARY</p></div>',
  '<span style="display:none">CANARY</span>',
  '<span style="DISPLAY : None !important">CANARY</span>',
  '<span style="color:red; display:/* */none">CANARY</span>',
  '<span style="d\\69splay:none">CANARY</span>',
  '<span style="visibility: hidden">CANARY</span>',
  '<span style="opacity:0">CANARY</span>',
  '<span style="opacity: 0.0">CANARY</span>',
  '<span style="font-size:0">CANARY</span>',
  '<span style="font-size: 0.1px">CANARY</span>',
  '<span style="color:transparent">CANARY</span>',
  '<span style="position:absolute;left:-9999px">CANARY</span>',
  '<span style="text-indent:-5000px">CANARY</span>',
  '<span style="width:0;height:0;overflow:hidden">CANARY</span>',
  '<span style="overflow:hidden;height:1px">CANARY</span>',
  '<span style="clip:rect(0,0,0,0)">CANARY</span>',
  '<span style="clip-path: inset(100%)">CANARY</span>',
  '<span style="transform: scale(0)">CANARY</span>',
  `<span style="${'x:y;'.repeat(2000)}">CANARY</span>`,
  '<style>.gone{display:none}</style><p class="a gone b">CANARY</p>',
  '<style>#gone , .x { visibility : hidden }</style><p id="gone">CANARY</p>',
  '<style>p.gone{opacity:0}</style><p class="gone">CANARY</p>',
  '<!-- CANARY -->',
  '<!--[if IE]>CANARY<![endif]-->',
  '<script>CANARY</script>',
  '<SCRIPT SRC=x>CANARY</SCRIPT>',
  '<style>CANARY</style>',
  '<noscript>CANARY</noscript>',
  '<template>CANARY</template>',
  '<svg><text>CANARY</text></svg>',
  '<iframe srcdoc="CANARY">CANARY</iframe>',
  '<object data="x">CANARY</object>',
  '<img alt="CANARY" src="x" title="CANARY">',
  '<input value="CANARY"><textarea>CANARY</textarea>',
  '<p title="CANARY" data-x="CANARY">shown</p>',
  '<a href="data:text/plain,CANARY">link</a>',
  '<a href="javascript:CANARY">link</a>',
  '<table><tr><td style="display:none">CANARY</td><td>x</td></tr></table>',
  '<ul><li hidden>CANARY</li></ul>',
];

describe('visibleTextOfHtml', () => {
  verifies('tools:fetch-visible-text', 'leaves out all that a person would not see', async () => {
    for (const html of HIDDEN) {
      const { text } = await read(
        `<html><head><title>CANARY</title><meta name=x content=CANARY></head><body><p>before</p>${html}<p>after</p></body></html>`,
      );
      expect(text, html).not.toContain('CANARY');
      expect(text, html).toContain('before');
      expect(text, html).toContain('after');
      expect((await read(html)).text, `${html} without a body`).not.toContain('CANARY');
    }
  });

  it('keeps what is shown, with its structure and links', async () => {
    const { text, removed } = await read(
      '<h1>Title</h1><p class="lead" id="x" style="color:red;opacity:0.9;font-size:10px">One <b>two</b></p><ul><li>a<li>b</ul><a href="https://x.example/y">more</a>',
    );
    expect(text).toBe('TITLE\n\nOne two\n\n * a\n * b\n\nmore [https://x.example/y]');
    expect(removed).toEqual([]);
  });

  it('says what was removed', async () => {
    const { removed } = await read('<p hidden>a</p><p style="display:none">b</p><!-- c --><script>d</script>e\u200bf');
    expect(removed).toEqual(['2 hidden elements', '1 comment', '1 script', '1 invisible character']);
  });

  it('gives up on a page that is built to take for ever', async () => {
    expect(await visibleTextOfHtml('<b>'.repeat(350_000))).toMatchObject({ ok: false });
  });
});

describe('visibleTextOf', () => {
  it('removes characters that show nothing or turn the direction of reading', () => {
    expect(visibleTextOf('a\u200bb\u202ec\u{e0041}d\ufeffe\u00adf\u2066g')).toEqual({
      text: 'abcdefg',
      removed: ['6 invisible characters'],
    });
    expect(visibleTextOf('plain ü 🙂')).toEqual({ text: 'plain ü 🙂', removed: [] });
  });
});
