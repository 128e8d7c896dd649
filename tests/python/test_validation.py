# SPDX-License-Identifier: Apache-2.0
"""rc.validate on a table made up here."""

from pathlib import Path

import pytest

import roofcast as rc

pytestmark = pytest.mark.wheel

HEADER = (
    "source,model,layers,hidden,heads,kv_heads,ffn,vocab,seq,gpu,num_gpus,tp,pp,dp,mbs,precision,"
    "zero,other,metric,value,unit"
)
RUN = (
    "HuggingFace Ultra-Scale Playbook bench (made up),Llama-1.34G,16,2048,32,32,8192,131072,4096,"
    "H100,1,1,1,1,{mbs},bf16,0,GA=4; tied=True; job 14100001; after_pp_fix=True,{figure}"
)
# 18 bytes of each parameter and 0.075 GiB.
LOGGED = 18 * 1_342_244_864 + 0.075 * 2**30


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [
        RUN.format(mbs=1, figure="mem_allocated_per_gpu,20,GB"),
        RUN.format(mbs=64, figure="oom,1,bool"),
        RUN.format(mbs=1, figure="step_time,1,s"),
    ]
    path = tmp_path / "measured.csv"
    path.write_text("\n".join([HEADER, *rows, ""]))
    return path


def test_validation_holds_figures_in_percent(table: Path) -> None:
    validation = rc.validate(table)
    totals = {group["metric"]: group for group in validation.totals()}
    assert totals["memory"]["bias"] == pytest.approx(100 * (LOGGED / (20 * 2**30) - 1))
    assert (totals["fits"]["rows"], totals["fits"]["right"]) == (2, 100)
    assert [row["reason"] for row in validation.refused_rows()] == [
        "not predicted yet: metric step_time"
    ]
    assert validation.to_dict()["verb"] == "validate"
    assert str(validation).startswith(str(table))
    assert len(validation.data_hash) == 64 and validation.kind == "training"


def test_metrics_are_chosen(table: Path) -> None:
    totals = rc.validate(str(table), metric="memory").totals()
    assert [group["metric"] for group in totals] == ["memory"]
    with pytest.raises(rc.ArgumentError, match="no metric 'luck'"):
        rc.validate(table, metric="luck")


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rc.NotFoundError, match="no such file"):
        rc.validate(tmp_path / "missing.csv")
    (tmp_path / "other.csv").write_text("m,n,k\n1,2,3\n")
    with pytest.raises(rc.SpecError, match="no table that can be validated"):
        rc.validate(tmp_path / "other.csv")
    with pytest.raises(rc.ArgumentError, match="no kind of table 'poems'"):
        rc.validate(tmp_path / "other.csv", kind="poems")


def test_frames_have_groups_and_rows(table: Path) -> None:
    pytest.importorskip("pandas")
    validation = rc.validate(table)
    groups = rc.frame.groups_frame(validation)
    memory = groups[(groups.metric == "memory") & (groups.by == "total")].iloc[0]
    assert memory.rows == 1 and memory["mape"] == pytest.approx(12.88, abs=0.01)
    rows = rc.frame.rows_frame(validation)
    assert list(rows.row) == [1, 1, 2, 3]
    assert list(rows.status) == ["predicted", "predicted", "predicted", "refused"]
    assert rows.predicted_bytes[1] == pytest.approx(LOGGED)
