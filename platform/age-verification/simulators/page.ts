/** Escapes all values, so that none becomes markup. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.codePointAt(0)};`);

const STYLE = 'body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:2rem auto;padding:0 1rem}'
  + 'p.note{border:2px solid #b45309;border-radius:8px;padding:.75rem}'
  + 'form{display:grid;gap:.75rem}input{font:inherit;padding:.5rem;min-height:44px;width:100%;'
  + 'box-sizing:border-box}button{font:inherit;padding:.5rem 1rem;min-height:44px}';

/** The page of a simulated check: any age can be typed, and nothing is looked at. */
export function checkPage(provider: string, check: string, { pathname, search }: URL): Response {
  const name = escaped(provider);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Simulated ${name}</title>
<style>${STYLE}</style><h1>Simulated ${name}: ${escaped(check)}</h1>
<p class="note">This is not ${name}. It is a simulation on this machine, to try out proving an age.
Nothing is sent anywhere, and no camera is used. Type any age.</p>
<form method="post" action="${escaped(pathname + search)}">
<label>Age the check finds
<input type="number" name="age" value="30" min="1" max="120" required></label>
<button>Finish the check</button>
<button name="cancel" value="1" formnovalidate>Cancel</button></form></html>`;
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        'default-src \'none\'; style-src \'unsafe-inline\'; frame-ancestors \'none\'',
    },
  });
}
