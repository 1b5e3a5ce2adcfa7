/** Rain and snow, rooms and things that turn: eight scenes without people. `t` runs from 0 to 1 in a loop. */
import {
  backdrop,
  blur,
  disc,
  down,
  each,
  glow,
  HEIGHT,
  path,
  round,
  scatter,
  swell,
  wave,
  WIDTH,
} from './draw.mjs';

export const placeScenes = {
  rain: (t) =>
    `<defs>${down('street', '#141c2e', '#27344f', '#0d1220')}${blur('far', 10)}${blur('wet', 1)}</defs>
    ${backdrop('url(#street)')}
    ${
      each(14, (i) =>
        disc(
          WIDTH * scatter(i),
          90 + 190 * scatter(i, 1),
          16 + 22 * scatter(i, 2),
          ['#ffb25a', '#ff6f91', '#6fd3ff', '#ffe08a'][i % 4],
          `opacity="${round(0.4 + 0.15 * wave(t, 1, scatter(i, 3)))}" filter="url(#far)"`,
        ))
    }
    ${
      each(34, (i) => {
        const y = ((scatter(i) + (1 + (i % 3)) * t) % 1) * (HEIGHT + 60) - 40;
        const x = WIDTH * scatter(i, 1) + 5 * wave(t, 2, scatter(i, 2));
        return `<path d="M${round(x)},${round(y)} l-1,${round(16 + 26 * scatter(i, 3))}" stroke="#cfe6ff"
        stroke-width="${round(1.5 + 2.5 * scatter(i, 4))}" stroke-linecap="round" opacity="0.5"
          filter="url(#wet)"/>`;
      })
    }
    <path d="M0,0 H640 V360 H0 Z M24,20 V340 H308 V20 Z M332,20 V340 H616 V20 Z" fill="#2b1d18"
      fill-rule="evenodd"/>`,

  fireplace: (t) =>
    `<defs>${down('wall', '#3a211a', '#5a3324', '#2a1711')}${down('fire', '#fff3b0', '#ffb347', '#e0452a')}${
      glow('heat', '#ff9a3c', 0.7)
    }${blur('soft', 2)}</defs>${backdrop('url(#wall)')}
    ${
      each(6, (row) =>
        each(9, (i) =>
          `<rect x="${i * 76 - (row % 2) * 38}" y="${row * 34}" width="72"
      height="30"
      fill="#6b3e2c" opacity="0.5"/>`))
    }
    <rect x="150" y="96" width="340" height="250" rx="14" fill="#120805"/>
    ${disc(320, 300, 190 + 8 * wave(t, 5), 'url(#heat)')}
    ${
      each(9, (i) => {
        const x = 200 + 30 * i;
        const tip = 150 + 60 * Math.abs(i - 4) / 4 + 22 * wave(t, 3 + (i % 4), scatter(i)) +
          20 * scatter(i, 1);
        return path(
          `M${x - 26},318 C${x - 30},260 ${round(x - 8 + 12 * wave(t, 4, scatter(i, 2)))},${round(tip + 50)}
        ${round(x + 10 * wave(t, 3, scatter(i, 3)))},${round(tip)} C${x + 12},${round(tip + 50)} ${
            x +
            32
          },264 ${x + 26},318 Z`,
          'url(#fire)',
          'opacity="0.72" filter="url(#soft)"',
        );
      })
    }
    <path d="M190,330 L450,308 M190,308 L450,330" stroke="#4a2412" stroke-width="24" stroke-linecap="round"/>
    <rect x="120" y="74" width="400" height="24" rx="4" fill="#8a5636"/>
    ${
      each(14, (i) =>
        disc(
          240 + 160 * scatter(i) + 14 * wave(t, 2, scatter(i, 1)),
          300 - 190 * ((scatter(i, 2) + 2 * t)
                % 1),
          1.5,
          '#ffd27a',
        ))
    }`,

  aquarium: (t) =>
    `<defs>${down('water', '#0fa3b1', '#0b6e8f', '#072f4f')}${blur('ray', 12)}</defs>
    ${backdrop('url(#water)')}
    ${
      each(5, (i) =>
        path(
          `M${90 + 120 * i},0 L${round(20 + 130 * i + 30 * wave(t, 1, i / 5))},360 l80,0
      L${
            130 + 120
              * i
          },0 Z`,
          '#bff5ff',
          'opacity="0.14" filter="url(#ray)"',
        ))
    }
    ${
      each(7, (i) => {
        const way = i % 2 ? 1 : -1;
        const x = ((scatter(i) + (i % 3 === 0 ? 2 : 1) * t) % 1) * (WIDTH + 160) - 80;
        const size = 0.5 + 0.7 * scatter(i, 1);
        return `<g transform="translate(${round(way > 0 ? x : WIDTH - x)} ${
          round(
            60 + 220 * scatter(i, 2) + 8
                * wave(t, 3, scatter(i)),
          )
        }) scale(${round(way * size)} ${round(size)})">
        <ellipse rx="34" ry="17" fill="${['#ff9f45', '#ffd166', '#ff5d73', '#8fd3ff', '#c792ea'][i % 5]}"/>
        <path d="M-28,0 L-56,${round(-15 + 6 * wave(t, 9, i / 7))} L-56,${round(15 + 6 * wave(t, 9, i / 7))}
          Z"
          fill="${['#e07b24', '#e0aa30', '#d43c55', '#5fa8dc', '#9a63c4'][i % 5]}"/>${
          disc(20, -4, 4, '#fff')
        }${disc(21, -4, 2, '#101820')}</g>`;
      })
    }
    ${
      each(9, (i) =>
        `<path d="M${40 + 70 * i},360 q${round(22 * wave(t, 2, i / 9))},-50 ${
          round(
            6 * wave(
              t,
              1,
              i /
                4,
            ),
          )
        },-${90 + 20 * (i % 3)}" fill="none" stroke="#2c9c6a" stroke-width="9" stroke-linecap="round"
        opacity="0.8"/>`)
    }
    ${
      each(18, (i) =>
        disc(
          WIDTH * scatter(i, 5) + 6 * wave(t, 3, scatter(i)),
          HEIGHT - (HEIGHT + 20) *
              ((scatter(i, 6)
                + t) % 1),
          2 + 3 * scatter(i, 7),
          '#d6fbff',
          'opacity="0.6"',
        ))
    }`,

  snowfall: (t) =>
    `<defs>${down('sky', '#1b2748', '#4a5f8a', '#a9b9d6')}${glow('moon', '#fdf6dc', 0.8)}</defs>
    ${backdrop('url(#sky)')}${disc(500, 80, 120, 'url(#moon)')}${disc(500, 80, 28, '#fffbe8')}
    ${path(swell(0, 262, 22, 1, 0.2, 0), '#dfe8f4')}
    ${
      each(11, (i) =>
        `<g transform="translate(${20 + 62 * i} ${270 + 16 * scatter(i)})">${
          each(3, (k) =>
            path(
              `M${
                -26 +
                6 * k
              },${-22 * k} L0,${-52 - 24 * k} L${26 - 6 * k},${-22 * k} Z`,
              k % 2
                ? '#2a4a52'
                : '#223e46',
            ))
        }</g>`)
    }
    <g transform="translate(250 236)"><rect width="110" height="70" fill="#5a3a2a"/><path d="M-14,6 L55,-44
      L124,6 Z"
      fill="#eef4fb"/><rect x="20" y="22" width="26" height="26" fill="#ffd27a" opacity="${
      round(
        0.85 + 0.1
            * wave(t, 5),
      )
    }"/><rect x="66" y="22" width="26" height="26" fill="#ffd27a"/></g>
    ${path(swell(0, 316, 12, 2, 0.6, 0), '#f5f9fd')}
    ${
      each(70, (i) =>
        disc(
          WIDTH * scatter(i) + 16 * wave(t, 1 + (i % 2), scatter(i, 1)),
          ((scatter(i, 2) +
                (1 + i % 2)
                  * t) % 1) * (HEIGHT + 10) - 5,
          1.2 + 2.4 * scatter(i, 3),
          '#ffffff',
          'opacity="0.85"',
        ))
    }`,

  skyline: (t) =>
    `<defs>${down('dusk', '#1a1238', '#5a2a6e', '#e0705a', '#ffc98a')}</defs>${backdrop('url(#dusk)')}
    ${
      each(17, (i) => {
        const height = 90 + 160 * scatter(i);
        return `<g transform="translate(${i * 39 - 8} ${round(HEIGHT - 40 - height)})"><rect width="36"
        height="${round(height + 60)}" fill="#140d2a"/>${
          each(10, (k) => {
            const on = scatter(i, k + 2) > 0.45 && wave(t, 1, scatter(i, k + 9)) > -0.7;
            return k * 22 > height - 20 ? '' : `<rect x="${6 + 14 * (k % 2)}" y="${10 + 20 * k}" width="9"
          height="11"
          fill="${on ? '#ffd98a' : '#2c2150'}"/>`;
          })
        }</g>`;
      })
    }
    <rect y="322" width="${WIDTH}" height="38" fill="#0a0718"/>
    ${
      each(8, (i) => {
        const x = ((scatter(i, 3) + 2 * t) % 1) * (WIDTH + 80) - 40;
        return disc(i % 2 ? x : WIDTH - x, 334 + 12 * (i % 2), 4, i % 2 ? '#fff4d0' : '#ff5a4a');
      })
    }`,

  train: (t) =>
    `<defs>${down('sky', '#8ed1f5', '#dff3ff')}</defs>${backdrop('url(#sky)')}
    ${
      each(3, (i) =>
        `<ellipse cx="${round(((i / 3 + t) % 1) * 860 - 110)}" cy="${60 + 24 * i}" rx="70"
      ry="16"
      fill="#ffffff" opacity="0.8"/>`)
    }
    ${path(swell(t, 190, 26, 2, 0, 1), '#9ac77a')}${path(swell(t, 226, 22, 3, 0.4, 2), '#6fae5c')}
    ${
      each(12, (i) => {
        const x = (((i / 12) + 3 * t) % 1) * (WIDTH + 120) - 60;
        return `<g transform="translate(${round(x)} 262)"><rect x="-4" width="8" height="30"
        fill="#6a4a30"/>${disc(0, -12, 24, i % 2 ? '#3f8a4a' : '#57a052')}</g>`;
      })
    }
    <path d="M0,0 H640 V360 H0 Z M40,30 H600 V270 H40 Z" fill="#6b3f2a" fill-rule="evenodd"/>
    <rect x="20" y="278" width="600" height="22" rx="6" fill="#8f5a3c"/>
    <g transform="translate(470 ${round(250 + 1.5 * wave(t, 9))})"><path d="M0,0 h44 l-6,30 h-32 Z"
      fill="#f4ece0"/><path
      d="M44,4 q16,2 6,18" fill="none" stroke="#f4ece0" stroke-width="5"/></g>
    <rect x="90" y="${round(262 + 1.5 * wave(t, 9, 0.3))}" width="110" height="16" rx="3" fill="#2f5d8a"/>`,

  vinyl: (t) =>
    `<defs>${down('table', '#5a3a24', '#8a5a34', '#3c2414')}${glow('lamp', '#ffe3b0', 0.6)}</defs>
    ${backdrop('url(#table)')}${disc(120, 40, 260, 'url(#lamp)')}
    <rect x="110" y="36" width="420" height="300" rx="18" fill="#26201c"/>${disc(280, 186, 132, '#0c0a0a')}
    ${
      each(7, (i) =>
        `<circle cx="280" cy="186" r="${58 + 10 * i}" fill="none" stroke="#2c2828"
      stroke-width="1.5"/>`)
    }
    <g transform="translate(280 186) rotate(${round(360 * 5 * t)})">${disc(0, 0, 44, '#e0563f')}${
      disc(0, -24, 6, '#ffe3b0')
    }<path d="M-30,8 h60 M-24,18 h48" stroke="#ffd2b8" stroke-width="3"/><path d="M0,-128
        A128,128 0 0 1
      90,-90 L60,-60 A84,84 0 0 0 0,-84 Z" fill="#ffffff" opacity="0.07"/></g>${disc(280, 186, 5, '#d8d2c8')}
    <g transform="translate(486 86) rotate(${round(24 + 3 * t * (1 - t) * 4 + 0.4 * wave(t, 10))})">${
      disc(0, 0, 18, '#b8b0a4')
    }<path d="M0,0 L-12,150 L-46,186" fill="none" stroke="#d6cec0" stroke-width="8"
      stroke-linejoin="round"/></g>
    ${each(3, (i) => disc(486, 236 + 30 * i, 9, ['#e0563f', '#d8d2c8', '#d8d2c8'][i]))}`,

  fireflies: (t) =>
    `<defs>${down('night', '#071a1c', '#12393a', '#06120f')}${glow('fly', '#e9ff8a', 0.9)}</defs>
    ${backdrop('url(#night)')}
    ${
      each(10, (i) =>
        `<path d="M${30 + 66 * i},360 q${round(8 * wave(t, 1, i / 10))},-190 ${
          i % 2
            ? 18
            : -14
        },-${
          round(
            250
              + 90 * scatter(i),
          )
        }" fill="none" stroke="#04100e" stroke-width="${12 + 8 * (i % 3)}"/>`)
    }
    ${path(swell(0, 318, 14, 3, 0.3, 0), '#04100d')}
    ${
      each(26, (i) => {
        const x = WIDTH * scatter(i) + 44 * wave(t, 1, scatter(i, 1));
        const y = 70 + 240 * scatter(i, 2) + 28 * wave(t, 2, scatter(i, 3));
        const lit = Math.max(0, wave(t, 2 + (i % 3), scatter(i, 4)));
        return disc(x, y, 16, 'url(#fly)', `opacity="${round(lit)}"`) +
          disc(
            x,
            y,
            2,
            '#fbffd0',
            `opacity="${
              round(
                0.2 +
                  0.8 * lit,
              )
            }"`,
          );
      })
    }
    ${
      each(30, (i) =>
        `<path d="M${22 * i},360 q${round(6 * wave(t, 2, i / 9))},-20 ${
          round(
            8 * wave(
              t,
              1,
              i
                / 7,
            ),
          )
        },-${
          26 +
          (i * 13) % 30
        }" fill="none" stroke="#0d2a22" stroke-width="4"/>`)
    }`,
};
