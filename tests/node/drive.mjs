// Drives headless Chromium for the browser tests of the studio. One JSON command a line on stdin, one JSON answer a line.
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--no-first-run', '--disable-quic'];
const browser = await chromium.launch({ executablePath: process.argv[2], headless: true, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 900, height: 600 }, acceptDownloads: true });
const pages = {};
const errors = [];

const button = (page, name) => page.getByRole('button', { name, exact: true }).first();

const verbs = {
  async open({ page, url, size }) {
    pages[page] = await context.newPage();
    if (size) await pages[page].setViewportSize({ width: size[0], height: size[1] });
    pages[page].on('pageerror', (error) => errors.push(error.message));
    await pages[page].goto(url);
  },
  async click({ page, name }) { await button(pages[page], name).click({ timeout: 30000 }); },
  async unfold({ page, name }) { await pages[page].getByText(name, { exact: true }).first().click({ timeout: 30000 }); },
  async see({ page, name }) { await button(pages[page], name).waitFor({ timeout: 30000 }); },
  async read({ page, text }) { await pages[page].getByText(text).first().waitFor({ timeout: 30000 }); },
  async press({ page, key, hold = 0 }) { await pages[page].keyboard.press(key, { delay: hold }); },
  async point({ page, at }) { await pages[page].mouse.click(...at); },
  async drag({ page, from, to }) {
    await pages[page].mouse.move(...from);
    await pages[page].mouse.down();
    await pages[page].mouse.move(...to, { steps: 8 });
    await pages[page].mouse.up();
  },
  // What stands in the number field beside a slider.
  async field({ page, name }) {
    const label = pages[page].getByText(name, { exact: true }).first();
    const row = label.locator('xpath=ancestor::*[.//input][1]');
    return row.locator('input').first().inputValue({ timeout: 30000 });
  },
  async shot({ page, path }) { await pages[page].screenshot({ path }); },
  async download({ page, name, path }) {
    const arriving = pages[page].waitForEvent('download', { timeout: 60000 });
    await button(pages[page], name).click({ timeout: 30000 });
    const download = await arriving;
    await download.saveAs(path);
    return download.suggestedFilename();
  },
  // A browser's own web sockets, one after the other, each closed after the first message.
  async visit({ page, url, protocol, times }) {
    return pages[page].evaluate(async ({ url, protocol, times }) => {
      for (let k = 0; k < times; k += 1) {
        await new Promise((resolve, reject) => {
          const socket = new WebSocket(url, protocol);
          socket.onmessage = () => socket.close();
          socket.onclose = resolve;
          socket.onerror = reject;
        });
      }
      return times;
    }, { url, protocol, times });
  },
  async close({ page }) { await pages[page].close(); },
  async errors() { return errors; },
};

process.stdout.write('{"ok": true}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { verb, ...settings } = JSON.parse(line);
  let answer;
  try {
    answer = { ok: true, value: await verbs[verb](settings) };
  } catch (error) {
    answer = { ok: false, error: `${verb} ${JSON.stringify(settings)}: ${error.message}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
