#!/bin/sh
# The one who adds up the tests, itself tested: nothing that went wrong may be
# lost on the way to the last line.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

adds_up_to() { # sentence, last line, exit status, the text of a test program
    printf '%s\n' "$4" >"$work/program"
    said=$(tools/run-tests.sh "sh $work/program" true_to_form 2>&1)
    status=$?
    if [ "$(printf '%s\n' "$said" | tail -n 1)" = "$2" ] && [ "$status" -eq "$3" ]; then
        echo "ok - $1"
    else
        echo "not ok - $1; exit status $status after:"
        printf '%s\n' "$said" | sed 's/^/    /'
    fi
}

# A second program, so that there is something to add.
PATH=$work:$PATH
printf '#!/bin/sh\necho "2 Tests 0 Failures 0 Ignored"\n' >"$work/true_to_form"
chmod +x "$work/true_to_form"

adds_up_to "Unity's summaries are added" "5 passed, 0 failed" 0 \
    'echo "3 Tests 0 Failures 0 Ignored"'
adds_up_to "an ignored test has not passed" "4 passed, 0 failed" 0 \
    'echo "3 Tests 0 Failures 1 Ignored"'
adds_up_to "a failure is counted" "4 passed, 1 failed" 1 \
    'echo "3 Tests 1 Failures 0 Ignored"; exit 1'
adds_up_to "lines of sentences are counted" "4 passed, 1 failed" 1 \
    'echo "ok - a"; echo "ok - b"; echo "not ok - c"'
adds_up_to "silence is a failure" "2 passed, 1 failed" 1 'exit 0'
adds_up_to "a crash before the summary is a failure" "2 passed, 1 failed" 1 \
    'echo "test.c:1:a:PASS"; kill -SEGV $$'
adds_up_to "a leak found after the summary is a failure" "5 passed, 1 failed" 1 \
    'echo "3 Tests 0 Failures 0 Ignored"; exit 23'
adds_up_to "a program that is not there is a failure" "2 passed, 1 failed" 1 \
    'exec /nowhere/at/all'
TEST_SECONDS=1 adds_up_to "a program without end is a failure" "2 passed, 1 failed" 1 \
    'exec sleep 60'

said=$(tools/run-tests.sh true_to_form true_to_form 2>&1)
if printf '%s\n' "$said" | grep -q '^seconds of each part:$' &&
    printf '%s\n' "$said" | grep -q '^  ok .* 2 .*\.[0-9] s$'; then
    echo "ok - the time of each program and part is told"
else
    echo "not ok - the time of each program and part is told:"
    printf '%s\n' "$said" | sed 's/^/    /'
fi
said=$(tools/run-tests.sh "sh $work/program with arguments" 2>&1)
if printf '%s\n' "$said" | grep -q "again, alone: sh $work/program with arguments\$"; then
    echo "ok - a failure says how to run it alone"
else
    echo "not ok - a failure says how to run it alone:"
    printf '%s\n' "$said" | sed 's/^/    /'
fi
