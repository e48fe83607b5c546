// Scores recorded runs with the original, round by round: argument 1 is a JSONL file of rows {"options", "run"}. Each line
// on stdin asks for one round, answered by one line {"seconds", "scores"}; the first, which warms up, comes unasked.
import fs from 'node:fs'
import readline from 'node:readline'
import { createToolCallAccuracyScorerCode } from '@mastra/evals/scorers/prebuilt'

const rows = fs.readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line))
const work = rows.map(row => [createToolCallAccuracyScorerCode(row.options), row.run])

async function round() {
  const scores = []
  const began = process.hrtime.bigint()
  for (const [scorer, run] of work) scores.push((await scorer.run(run)).score)
  const seconds = Number(process.hrtime.bigint() - began) / 1e9
  process.stdout.write(JSON.stringify({ seconds, scores }) + '\n')
}

await round()
for await (const _ of readline.createInterface({ input: process.stdin })) await round()
process.exit(0)
