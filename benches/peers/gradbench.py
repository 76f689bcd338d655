"""GradBench's own evals with its own validation, for several tools by turns.

    python gradbench.py CHECKOUT RIESZ [EVAL ...]

CHECKOUT is a copy of gradbench/gradbench whose `tools/manual` can be built, RIESZ the command. Every tool is asked for
the same thing one after the other, several times, with one thread. Prints a row for each eval, input and tool: the shortest
times of the value and of the derivative, and whether the eval found both valid; then a table of the derivatives.

`RIESZ_ENZYME` names Enzyme's plugin for clang, `ClangEnzyme-19.so` for `clang++-19`; without it `tools/enzyme` is left
out, as is what cannot be started or does not have the eval.
"""

import json
import os
import re
import subprocess
import sys
import time

# The evals with arguments that keep a run short, and how their functions are called: value, then derivative.
EVALS = {
    "hello": ([], "square", "double"),
    "llsq": (["-n", "1024", "16392"], "primal", "gradient"),
    "lse": (["-n", "10000", "1280000"], "primal", "gradient"),
    "det": (["-l", "5", "6", "8"], "primal", "gradient"),
    "ode": (["-n", "1000", "10000", "-s", "10", "100"], "primal", "gradient"),
    "gmm": (["-d", "2", "10", "64", "-k", "5", "25"], "objective", "jacobian"),
    "kmeans": (["-k", "10", "100", "-n", "1000", "-d", "8", "16"], "cost", "dir"),
    "lstm": (["-l", "2", "4", "-c", "1024"], "objective", "jacobian"),
    "ba": (["--min", "1", "--max", "1"], "objective", "jacobian"),
    "ht": (["--min", "1", "--max", "1", "--model", "small"], "objective", "jacobian"),
    "particle": ([], None, "rr"),
    "saddle": ([], None, "rr"),
}

# GradBench's JAX keeps to one core, and its PyTorch to what this says.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}

# How often each tool is asked, unless an answer takes longer than the seconds below.
TURNS = 3
LONG = 5.0


def main():
    checkout, riesz, *chosen = sys.argv[1:]
    checkout = os.path.abspath(checkout)
    here = os.path.dirname(os.path.abspath(__file__))
    cpp = [sys.executable, "-m", "gradbench.cpp"]
    tool = [sys.executable, os.path.join(here, "gradbench_tool.py"), checkout]
    tools = {"Riesz": [os.path.abspath(riesz), "gradbench"], "manual": [*cpp, "manual"]}
    if "RIESZ_ENZYME" in os.environ:
        tools["Enzyme"] = [*cpp, "enzyme"]
    tools |= {"JAX": [*tool, "jax"], "PyTorch": [*tool, "pytorch"]}
    found = {}
    print("eval\tinput\ttool\tvalue us\tderivative us\tratio\tvalid")
    for name in chosen or EVALS:
        for row in by_turns(name, tools, checkout):
            shown = [f"{x:.1f}" if x else "-" for x in row[3:5]]
            ratio = f"{row[4] / row[3]:.2f}" if row[3] and row[4] else "-"
            print("\t".join([*row[:3], *shown, ratio, "valid" if row[5] else "invalid"]), flush=True)
            found.setdefault(row[:2], {})[row[2]] = row[4] if row[5] else None
    print_table(found, list(tools))


def print_table(found, tools):
    """The derivatives of all tools, and Riesz to the best of the others."""
    print("\n| eval | input |" + "".join(f" {tool} g |" for tool in tools) + " best of the others | to it |")
    print("|---" * (len(tools) + 4) + "|")
    for (name, description), times in found.items():
        others = {tool: took for tool, took in times.items() if took and tool != "Riesz"}
        best = min(others, key=others.get, default=None)
        ours = times.get("Riesz")
        cells = [digits(times.get(tool)) for tool in tools]
        cells += [best or "-", f"{ours / others[best]:.2f}" if best and ours else "-"]
        print(f"| {name} | {description} | " + " | ".join(cells) + " |")


def digits(took):
    return "-" if not took else f"{took:.2f}" if took < 10 else f"{took:.1f}" if took < 100 else f"{took:.0f}"


def by_turns(name, tools, checkout):
    """One eval with all tools: name, input, tool, shortest value and derivative, and whether they are valid."""
    _, value, derivative = EVALS[name]
    sessions = [Session(name, tool, command, checkout) for tool, command in tools.items()]
    running = sessions
    while running := [session for session in running if session.next_question()]:
        late = set()
        for turn in range(TURNS):
            for session in running:
                if session not in late and session.ask() > LONG:
                    late.add(session)
        for session in running:
            session.answer()
    for session in sessions:
        session.end()
    for description in dict.fromkeys(key[0] for session in sessions for key in session.times):
        for session in sessions:
            took = {function: time for (of, function), time in session.times.items() if of == description}
            valid = [valid for (of, _), valid in session.valid.items() if of == description]
            if took:
                yield name, description, session.tool, took.get(value), took.get(derivative), all(valid)


class Session:
    """An eval that asks, and a tool that answers."""

    def __init__(self, name, tool, command, checkout):
        self.tool = tool
        self.times, self.valid, self.asked = {}, {}, {}
        arguments = EVALS[name][0]
        repetitions = [] if name == "hello" else ["--min-runs", "1", "--min-seconds", "0.05"]
        script = f"python/gradbench/gradbench/evals/{name}/run.py"
        path = [os.path.join(checkout, "python/gradbench"), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path), **ONE_THREAD}
        if tool == "Enzyme":
            environment |= enzyme(os.environ["RIESZ_ENZYME"])
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": checkout}
        self.eval = subprocess.Popen([sys.executable, script, *arguments, *repetitions], env=environment, **pipes)
        errors = {"stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=environment, **pipes, **errors)

    def next_question(self):
        """Answers what is not to be timed; whether there is something that is."""
        for line in self.eval.stdout:
            self.line, self.message = line, json.loads(line)
            if self.message["kind"] == "evaluate":
                self.key = (self.message.get("description", ""), self.message["function"])
                self.asked[self.message["id"]] = self.key
                self.reply = None
                return True
            if self.message["kind"] == "analysis":
                self.valid[self.asked[self.message["of"]]] = self.message["valid"]
                self.report(self.message)
            self.ask()
            if self.message["kind"] == "define" and not json.loads(self.reply)["success"]:
                return False
            self.answer()
        return False

    def ask(self):
        """Asks the tool; the seconds that it took to answer."""
        start = time.monotonic()
        self.process.stdin.write(self.line)
        self.process.stdin.flush()
        self.reply = self.process.stdout.readline() or json.dumps(
            {"id": self.message["id"], "success": False, "error": "no answer"}
        )
        response = json.loads(self.reply)
        runs = [timing["nanoseconds"] for timing in response.get("timings") or [] if timing["name"] == "evaluate"]
        if self.message["kind"] == "evaluate" and runs:
            shortest = min(runs) / 1e3
            self.times[self.key] = min(shortest, self.times.get(self.key, shortest))
        self.report(response)
        return time.monotonic() - start

    def answer(self):
        """Gives the eval the last answer of the tool."""
        self.eval.stdin.write(self.reply if self.reply.endswith("\n") else self.reply + "\n")
        self.eval.stdin.flush()

    def report(self, message):
        if message.get("error"):
            print(f"{self.tool}, {self.key if self.asked else ''}: {message['error'][:300]}", file=sys.stderr)

    def end(self):
        for process in (self.eval, self.process):
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
            process.terminate()
            process.wait()


def enzyme(plugin):
    """What the Makefile of `tools/enzyme` is to use."""
    version = re.search(r"-(\d+)\.so$", plugin)
    compiler = f"clang++-{version[1]}" if version else "clang++"
    flags = f"-std=c++17 -O3 -march=native -fno-math-errno -I../../cpp -fplugin={os.path.abspath(plugin)}"
    settings = {"CXX": compiler, "CXXFLAGS": flags, "LDFLAGS": "-lm"}
    return {"MAKEFLAGS": "-- " + " ".join(f"{name}={text}".replace(" ", "\\ ") for name, text in settings.items())}


if __name__ == "__main__":
    main()
