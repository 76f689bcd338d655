"""GradBench's own evals with its own validation, for several tools in one run.

    python gradbench.py CHECKOUT RIESZ [EVAL ...]

CHECKOUT is a copy of gradbench/gradbench whose `tools/manual` is built, RIESZ the command. Prints a row for each tool,
eval and input: the shortest times of the value and of the derivative, and whether the eval found both valid.
"""

import json
import os
import subprocess
import sys

# The evals with arguments that keep a run short, and how their functions are called: value, then derivative.
EVALS = {
    "hello": ([], "square", "double"),
    "llsq": (["-n", "1024", "16392"], "primal", "gradient"),
    "lse": (["-n", "10000", "1280000"], "primal", "gradient"),
    "det": (["-l", "5", "7"], "primal", "gradient"),
    "ode": (["-n", "1000", "10000", "-s", "10", "100"], "primal", "gradient"),
    "gmm": (["-d", "2", "10", "64", "-k", "5", "25"], "objective", "jacobian"),
    "kmeans": (["-k", "10", "100", "-n", "1000", "-d", "8"], "cost", "dir"),
    "lstm": (["-l", "2", "-c", "1024"], "objective", "jacobian"),
    "ba": (["--min", "1", "--max", "1"], "objective", "jacobian"),
    "ht": (["--min", "1", "--max", "1", "--model", "small"], "objective", "jacobian"),
    "particle": ([], None, "rr"),
    "saddle": ([], None, "rr"),
}


def main():
    checkout, riesz, *chosen = sys.argv[1:]
    environment = os.environ | {"PYTHONPATH": os.path.join(checkout, "python/gradbench")}
    jax = os.path.join(checkout, "python/gradbench/gradbench/tools/jax/run.py")
    tools = {
        "riesz": [riesz, "gradbench"],
        "manual": [sys.executable, "-m", "gradbench.cpp", "manual"],
        "jax": [sys.executable, jax],
    }
    print("eval\tinput\ttool\tvalue us\tderivative us\tratio\tvalid")
    for name in chosen or EVALS:
        for tool, command in tools.items():
            for row in session(name, tool, command, checkout, environment):
                print("\t".join(row), flush=True)


def session(name, tool, command, checkout, environment):
    """One eval with one tool; the rows that it gives."""
    arguments, value, derivative = EVALS[name]
    repetitions = [] if name == "hello" else ["--min-runs", "5", "--min-seconds", "0.2"]
    script = f"python/gradbench/gradbench/evals/{name}/run.py"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": checkout, "env": environment}
    asks = subprocess.Popen([sys.executable, script, *arguments, *repetitions], **pipes)
    answers = subprocess.Popen(command, stderr=subprocess.DEVNULL, **pipes)
    times, asked = {}, {}
    for line in asks.stdout:
        message = json.loads(line)
        answers.stdin.write(line)
        answers.stdin.flush()
        answer = answers.stdout.readline()
        if not answer:
            break
        response = json.loads(answer)
        if message["kind"] == "evaluate":
            key = (message.get("description", ""), message["function"])
            asked[message["id"]] = key
            runs = [t["nanoseconds"] for t in response.get("timings") or [] if t["name"] == "evaluate"]
            times[key] = [min(runs) / 1e3 if runs else None, bool(response["success"])]
            if not response["success"]:
                print(f"{tool} {name}: {response.get('error', '')[:300]}", file=sys.stderr)
        if message["kind"] == "analysis":
            times[asked[message["of"]]][1] &= message["valid"]
            if not message["valid"]:
                print(f"{tool} {name}: {message.get('error', '')[:300]}", file=sys.stderr)
        if message["kind"] == "define" and not response["success"]:
            times.clear()
        asks.stdin.write(answer)
        asks.stdin.flush()
    for process in (asks, answers):
        process.stdin.close()
        process.terminate()
        process.wait()
    rows = []
    for description in dict.fromkeys(key[0] for key in times):
        f = times.get((description, value), (None, True))
        g = times.get((description, derivative), (None, False))
        others = [valid for (found, _), (_, valid) in times.items() if found == description]
        shown = [f"{x:.1f}" if x else "-" for x in (f[0], g[0])]
        ratio = f"{g[0] / f[0]:.2f}" if f[0] and g[0] else "-"
        rows.append([name, description, tool, *shown, ratio, "valid" if all(others) else "invalid"])
    return rows


if __name__ == "__main__":
    main()
