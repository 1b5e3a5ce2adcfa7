/** Escapes all values, so that none becomes markup. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.codePointAt(0)};`);

const STYLE = 'body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:2rem auto;padding:0 1rem}'
  + 'p.note{border:2px solid #b45309;border-radius:8px;padding:.75rem}'
  + 'form{display:grid;gap:.75rem}input[type=email]{font:inherit;padding:.5rem;min-height:44px;width:100%;'
  + 'box-sizing:border-box}button{font:inherit;padding:.5rem 1rem;min-height:44px}';

/** The page for logging in to a simulated provider, with any address and without a password. */
export function loginPage(name: string, { pathname, search }: URL): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Simulated ${name}</title>
<style>${STYLE}</style><h1>Simulated ${name}</h1>
<p class="note">This is not ${name}. It is a simulation on this machine, to try out logging in with ${name}.
Nothing is sent anywhere. Type any address; there is no password.</p>
<form method="post" action="${escaped(pathname + search)}">
<label>Email address
<input type="email" name="email" value="jo@people.example" maxlength="254" required></label>
<label><input type="checkbox" name="verified" value="true" checked> The address is confirmed</label>
<button>Log in</button><button name="cancel" value="1" formnovalidate>Cancel</button></form></html>`;
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        'default-src \'none\'; style-src \'unsafe-inline\'; frame-ancestors \'none\'',
    },
  });
}
